import type { Counts } from '../corpus/counts.ts';

export interface RealisticFlows {
  /** The files of each flow, the one with which it begins first. */
  flows: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** How many nodes of all of them are imported how. */
  counts: Counts;
}
