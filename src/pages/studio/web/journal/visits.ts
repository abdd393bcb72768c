/** Visits of a call to steps, with time span and outcome. */
import type { Fault } from '../../../../base/core/fault.ts';
import type { Json } from '../../../../base/core/json.ts';
import { beginOf, type Entry, type EntryOf, endOf, type Span } from './entries.ts';

export interface Visit extends Span {
  step: string;
  verb: string;
  /** Number of the visit in the journal. */
  visit: number;
  flow: string;
  /** 0 in the flow of the call, greater in subflows. */
  depth: number;
  /** Branch of `parallel`: `7.agents`. */
  branch?: string;
  /** Entry at which the step was entered. */
  seq: number;
  outcome?: string;
  result?: Json;
  fault?: Fault;
}

export function visitsOf(journal: readonly Entry[]): Visit[] {
  const begin = beginOf(journal);
  const visits = new Map<number, Visit>();
  for (const entry of journal) {
    if (entry.kind === 'entered') visits.set(entry.visit, enteredAt(entry, begin));
    if (entry.kind !== 'left') continue;
    const visit = visits.get(entry.visit);
    if (visit === undefined) continue;
    visit.toMs = entry.atMs - begin;
    visit.outcome = entry.outcome;
    if (entry.result !== undefined) visit.result = entry.result;
    if (entry.fault !== undefined) visit.fault = entry.fault;
  }
  return endWithCall([...visits.values()], journal);
}

/** Visits in the flow of the call, outside of parallel branches. */
export function ownVisitsOf(journal: readonly Entry[]): Visit[] {
  const visits = visitsOf(journal);
  return visits.filter(({ flow, branch }) => flow === visits[0]?.flow && branch === undefined);
}

function enteredAt({ step, verb, visit, flow, depth, branch, seq, atMs }: EntryOf<'entered'>, begin: number): Visit {
  return { step, verb, visit, flow, depth, seq, fromMs: atMs - begin, ...(branch !== undefined && { branch }) };
}

/** Ends open spans at the end of the call. */
export function endWithCall<Kind extends Span>(spans: Kind[], journal: readonly Entry[]): Kind[] {
  const endMs = endOf(journal);
  if (endMs === undefined) return spans;
  return spans.map((span) => (span.toMs === undefined ? { ...span, toMs: endMs } : span));
}

/** Innermost step at a moment; of parallel branches, the one entered last. */
export const visitAt = (visits: readonly Visit[], atMs: number): Visit | undefined =>
  visits.findLast(({ fromMs, toMs }) => fromMs <= atMs && (toMs === undefined || toMs >= atMs));

/** Step of a flow at a moment. Without a flow, the step of the root flow. */
export function stepAt(visits: readonly Visit[], atMs: number, flow: string | undefined): Visit | undefined {
  return visitAt(
    visits.filter((visit) => (flow === undefined ? visit.depth === 0 : visit.flow === flow)),
    atMs,
  );
}
