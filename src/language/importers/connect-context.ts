/** Interface between the writers of Amazon Connect actions and the importer of the flow. */
import type { SourceLocation } from '../../base/core/diagnostic.ts';
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { Account } from './fidelity.ts';
import type { FlowWriter } from './flow-writer.ts';
import type { ImportContext } from './import-context.ts';
import type { ImportedNode } from './imported.ts';

export interface ConnectAction {
  id: string;
  type: string;
  /** Name given in the Connect editor. Absent if the action has only an id. */
  name?: string | undefined;
  at: SourceLocation;
  account: Account;
  parameters: JsonObject;
  transitions: JsonObject;
  metadata: JsonObject;
}

export interface ConnectActionContext {
  readonly flow: FlowWriter;
  readonly options: ImportContext;
  readonly actions: readonly ConnectAction[];
  stepOf(id: string | undefined): string;
  next(action: ConnectAction): string;
  /** Step for the first of these error types that has a transition, or for any error. */
  onError(action: ConnectAction, ...types: string[]): string;
  /** Step for the condition with this value. */
  onValue(action: ConnectAction, value: string): string;
  text(written: Json | undefined): string;
  /** Flow of the source with this id or name. */
  called(flow: string): FlowWriter | undefined;
  /** Creates a flow without a counterpart in the source. */
  makeFlow(name: string): FlowWriter;
  /** Prompts of another flow. Undefined if that flow does more than play prompts. */
  wordsOf(flow: string): Json[] | undefined;
  /** Input and output mappings for a subflow call. They hold the attributes, which in Connect belong to the call. */
  handOver(): JsonObject;
  takeBack(step: string, next: string): JsonObject;
  /** True if the flow plays to callers who wait in a queue. Such a flow restarts when it ends. */
  readonly isWaiting: boolean;
  /** Attributes set by any flow of the source. */
  readonly attributes: readonly string[];
}

export type WriteAction = (
  context: ConnectActionContext,
  action: ConnectAction & { step: string },
  node: ImportedNode,
) => void;
