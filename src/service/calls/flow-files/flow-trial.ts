/** Input and result of flow trials, and the port through which use cases run them off the call path. */
import type { Diagnostic } from '../../../base/core/diagnostic.ts';
import type { Json, JsonObject } from '../../../base/core/json.ts';
import type { JournalEntry } from '../../runtime/journal.ts';
import type { WorkOptions } from './flow-check.ts';

/** A text that is tried as a flow, in the file in which it would be saved. Without a text, the saved one. */
export interface TriedFlow {
  name: string;
  file: string;
  text?: string;
}

/** The part of the configuration that calls see. */
export interface Surroundings {
  env: JsonObject;
  timezone: string;
  schedules: Readonly<Record<string, Json>>;
  /** Names only: a simulated call sends nothing, so that it needs no values. */
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

/** Input of a trial, by kind. */
export interface Trials {
  simulate: {
    flow: TriedFlow;
    /** Trial in the format of a test file, without the name and the expectations. */
    form: JsonObject;
    surroundings: Surroundings;
    /** Steps before which the call stops, and how many such stops it has passed. */
    breakpoints?: readonly string[];
    passedStops?: number;
    /** How long the call continues after the last action. */
    until?: 'acts' | 'quiet' | 'end';
  };
  tests: { flow: TriedFlow; tests: readonly TestText[]; filter?: string };
  replay: { flow: TriedFlow; calls: readonly RecordedJournal[]; surroundings: Surroundings };
  /** Converts a call into the text of a test. */
  take_over: { flow: TriedFlow; call: RecordedJournal; title: string; surroundings: Surroundings };
  /**
   * Shortest path to a step in the known tests; with `search`, a new path that leaves the step by one of `outcomes`.
   */
  way: {
    flow: TriedFlow;
    tests: readonly TestText[];
    step: string;
    outcomes?: readonly string[];
    search?: boolean;
    surroundings: Surroundings;
  };
  /** The HTTP request that a step would send, with example values in place of those of a call. */
  request: { flow: TriedFlow; step: string; values: JsonObject; surroundings: Surroundings; secrets: JsonObject };
}

/** Result in the format of the API, or the reason why there is none: errors of the flow, or of the other input. */
export type Trial =
  | { result: JsonObject }
  | { unknown: string }
  | { diagnostics: readonly Diagnostic[] }
  | { wrong: string; hint?: string };

export type Try = <Kind extends keyof Trials>(kind: Kind, job: Trials[Kind], options?: WorkOptions) => Promise<Trial>;
