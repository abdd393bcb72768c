/** Interface between the writers of Twilio Studio widgets and the importer of the flow, and parts that writers share. */
import type { SourceLocation } from '../../base/core/diagnostic.ts';
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { Account } from './fidelity.ts';
import { END, type FlowWriter } from './flow-writer.ts';
import type { ImportContext } from './import-context.ts';
import type { ImportedNode } from './imported.ts';
import type { ResolveName } from './liquid.ts';

export interface Widget {
  name: string;
  type: string;
  at: SourceLocation;
  account: Account;
  properties: JsonObject;
  transitions: readonly JsonObject[];
}

export interface WidgetContext {
  readonly flow: FlowWriter;
  readonly options: ImportContext;
  readonly names: ResolveName;
  next(widget: Widget, event: string): string;
  stepOf(widget: string): string;
  /** Flow of the source with this id. */
  called(sid: string): FlowWriter | undefined;
  text(written: Json | undefined): string;
  todo(widget: Widget, node: ImportedNode, what: string): void;
}

export type WriteWidget = (context: WidgetContext, widget: Widget & { step: string }, node: ImportedNode) => void;

export const wordsOf = (written: Json | undefined): string | undefined =>
  typeof written === 'string' ? written : undefined;
export const isOn = (written: Json | undefined): boolean => /^true$/i.test(String(written));
export const isSet = (written: Json | undefined): boolean =>
  written !== undefined && written !== null && written !== '';

export const shown = (written: Json | undefined): string => String(written ?? '').slice(0, 200);

/** Route of a hang-up. The flow ends if the source has none. */
export function onHangup(context: WidgetContext, widget: Widget): JsonObject {
  const next = context.next(widget, 'hangup');
  return next === END ? {} : { hangup: next };
}
