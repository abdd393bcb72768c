/** Files of `flow-library.ts`: their texts, the names in them, and the flows that they compile to. */
import { type Diagnostic, quoting } from '../../base/core/diagnostic.ts';
import { errorAt, startOf } from '../../base/schema/document.ts';
import type { LoadedDocument } from '../../base/schema/load.ts';
import type { Compilation } from './compile.ts';
import type { CompiledFlow } from './compiled-flow.ts';
import { type FlowSummary, nameOfFlow } from './flow-summary.ts';
import { summariesOf } from './local-flows.ts';

/** A file with the text that it will have. */
export interface FileText {
  file: string;
  text: string;
}

/** `name`: name in the text, which may not compile. */
export type CheckedText = Compilation & { name?: string };

/** A file of the library. */
export interface LibraryFile {
  file: string;
  text: string;
  /** Name in the text, which may not compile. */
  name?: string;
  /** Flow of this file that new calls use. */
  flow?: CompiledFlow;
  /** Local flows, under `flows` of this file. */
  locals?: readonly CompiledFlow[];
  diagnostics: readonly Diagnostic[];
}

export interface LoadedSource extends LibraryFile {
  /** Summaries of the flows in its text, by name. */
  summaries: ReadonlyMap<string, FlowSummary>;
}

export const sourceOf = (file: string, text: string, loaded: LoadedDocument): LoadedSource => ({
  ...{ file, text, diagnostics: [] },
  ...namedFlow(loaded),
});

export function namedFlow({ document }: LoadedDocument): {
  name?: string;
  summaries: ReadonlyMap<string, FlowSummary>;
} {
  const name = nameOfFlow(document?.value);
  return document === undefined || name === undefined
    ? { summaries: new Map() }
    : { name, summaries: summariesOf(document.value) };
}

export const duplicateOf = ({ name, file }: CompiledFlow, other: string): Diagnostic =>
  errorAt(startOf(file), 'duplicate-flow', `the flow ${quoting`${name}`} is already in ${other}`);
