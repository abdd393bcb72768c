/** What those who write actions of Amazon Connect as steps need of the flow around. */
import type { SourceLocation } from '../core/diagnostic.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { FlowWriter } from './flow-writer.ts';
import type { ImportContext, ImportedNode } from './imported.ts';

export interface Action {
  id: string;
  type: string;
  /** What people called it; absent: it has only an id. */
  name?: string | undefined;
  at: SourceLocation;
  parameters: JsonObject;
  transitions: JsonObject;
  metadata: JsonObject;
}

export interface ActionContext {
  readonly flow: FlowWriter;
  readonly options: ImportContext;
  readonly actions: readonly Action[];
  stepOf(id: string | undefined): string;
  next(action: Action): string;
  /** Where the first of these errors leads, or any. */
  onError(action: Action, ...types: string[]): string;
  /** Where a condition with this value leads. */
  onValue(action: Action, value: string): string;
  text(written: Json | undefined): string;
  /** Another flow of the source, by its id or its name. */
  called(flow: string): FlowWriter | undefined;
  /** A flow that the source does not have by itself. */
  makeFlow(name: string): FlowWriter;
  /** What another flow says, where it only does that. */
  wordsOf(flow: string): Json[] | undefined;
  /** What another flow is given, and what it gives back: attributes are those of the call. */
  handOver(): JsonObject;
  takeBack(): JsonObject;
  /** Whether the flow is heard by those who wait in a queue: it begins again when it ends. */
  readonly isWaiting: boolean;
  /** Attributes that the flow sets. */
  readonly attributes: readonly string[];
}

export type WriteAction = (context: ActionContext, action: Action & { step: string }, node: ImportedNode) => void;
