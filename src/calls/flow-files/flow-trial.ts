/** What is tried of a flow, and the port by which use cases have it tried off the call path. */
import type { Diagnostic } from '../../core/diagnostic.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { JournalEntry } from '../../runtime/journal.ts';
import type { WorkOptions } from './flow-check.ts';

/** A text that is tried as a flow, in the file where it would be saved. Without a text it is the saved one. */
export interface TriedFlow {
  name: string;
  file: string;
  text?: string;
}

/** What calls see of the configuration. */
export interface Surroundings {
  env: JsonObject;
  timezone: string;
  schedules: Readonly<Record<string, Json>>;
  /** Their names: a simulated call sends nothing, and their values stay where they are. */
  secrets: readonly string[];
}

export interface TestText {
  file: string;
  text: string;
}

export interface RecordedJournal {
  voiceId: string;
  eventUrl?: string;
  journal: JournalEntry[];
}

/** By kind: what is tried. */
export interface Trials {
  simulate: {
    flow: TriedFlow;
    /** As in a test file, without its name and what it expects. */
    form: JsonObject;
    surroundings: Surroundings;
    /** Steps before which the call stops, and how many such stops the call has passed. */
    breakpoints?: readonly string[];
    passedStops?: number;
    /** How far the call goes on after the last act. */
    until?: 'acts' | 'quiet' | 'end';
  };
  tests: { flow: TriedFlow; tests: readonly TestText[]; filter?: string };
  replay: { flow: TriedFlow; calls: readonly RecordedJournal[]; surroundings: Surroundings };
  /** A call as the text of a test. */
  take_over: { flow: TriedFlow; call: RecordedJournal; title: string; surroundings: Surroundings };
  /** The shortest way to a step that a test knows; with `search` one that leaves it by one of `outcomes`, known or not. */
  way: {
    flow: TriedFlow;
    tests: readonly TestText[];
    step: string;
    outcomes?: readonly string[];
    search?: boolean;
    surroundings: Surroundings;
  };
}

/** The result in the words of the API, or why there is none: errors of the flow, or of what is written beside it. */
export type Trial =
  | { result: JsonObject }
  | { unknown: string }
  | { diagnostics: readonly Diagnostic[] }
  | { wrong: string; hint?: string };

export type Try = <Kind extends keyof Trials>(kind: Kind, job: Trials[Kind], options?: WorkOptions) => Promise<Trial>;
