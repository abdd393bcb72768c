/**
 * A flow as a picture needs it: steps with their exits, and what stands once for all of them. Plain data, the same for the
 * service and for the browser; neighbours: `studio/web/graph/` draws it.
 */

export interface FlowGraph {
  name: string;
  /** Absent while the text does not name one. */
  start?: string;
  steps: GraphStep[];
  /** Interrupts: event name (`dtmf.0`, `hangup`, …) → target step. */
  events: Readonly<Record<string, string>>;
  /** Exits that hold for every step: outcome → target. */
  defaults: Readonly<Record<string, string>>;
}

export interface GraphStep {
  name: string;
  verb: string;
  /** What it says, asks, requests or decides, in a line or two. */
  about: string;
  /** Short facts: `3 tries`, `6 digits`, `≤ 3 visits`. */
  badges: string[];
  sensitive: boolean;
  /** Of the step's name in the text, 1-based. */
  line: number;
  /** The author's `label`, which names a group by what stands before its first `/` or `:`. */
  label?: string;
  /** The flows that it runs: a subflow, or the branches of `parallel`. */
  opens?: string[];
  exits: GraphExit[];
}

export interface GraphExit {
  outcome: string;
  /** A step, or `$end`. It may be missing from the flow. */
  target: string;
  /** Written at the step, not taken from the defaults. */
  own: boolean;
  /** The key to press, as written in `dtmf`. */
  key?: string;
  /** What stands in place of the outcome: the condition of a case. */
  label?: string;
}
