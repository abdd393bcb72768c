/** Automatic path to a step: chooses the exit that leads there, and the action that takes this exit. Pure. */
import type { FlowGraph, GraphExit, GraphStep } from '../../../flow/graph.ts';
import type { Doing } from './acts.ts';
import type { Simulation } from './simulation.ts';

/** First exit of the shortest path between two steps. */
export function nextExit(graph: FlowGraph, from: string, to: string): { step: GraphStep; exit: GraphExit } | undefined {
  const steps = new Map(graph.steps.map((step) => [step.name, step]));
  const begin = steps.get(from);
  if (begin === undefined) return undefined;
  const reached = new Set<string>();
  let front = waysOf(begin).map((exit) => ({ first: exit, at: exit.target }));
  while (front.length > 0) {
    const found = front.find(({ at }) => at === to);
    if (found !== undefined) return { step: begin, exit: found.first };
    for (const { at } of front) reached.add(at);
    const seen = new Set<string>();
    front = front.flatMap(({ first, at }) => {
      const next = steps.get(at);
      if (next === undefined) return [];
      return waysOf(next).flatMap(({ target }) => {
        if (reached.has(target) || seen.has(target)) return [];
        seen.add(target);
        return [{ first, at: target }];
      });
    });
  }
  return undefined;
}

/** Success exits first. `error` exits are skipped, because no action of the caller causes them. */
const waysOf = ({ exits }: GraphStep): GraphExit[] =>
  exits
    .filter(({ outcome, target }) => outcome !== 'error' && target !== '')
    .toSorted((one, other) => Number(isSetback(one)) - Number(isSetback(other)));

const SETBACKS = /^(exhausted|limit|failed|not_found|no_input|no_match|timeout|abandoned|hangup)/;
const isSetback = ({ outcome }: GraphExit): boolean => SETBACKS.test(outcome);

/** Action that makes a waiting step take this exit. Undefined if there is none. */
export function doingFor(step: GraphStep, exit: GraphExit, now: Simulation): Doing | undefined {
  const outcome = exit.covers[0] ?? exit.outcome;
  const held = now.requests.find(({ state, mocked }) => state === 'open' && !mocked);
  if (held !== undefined) {
    return { do: 'mock', mock: { of: 'request', step: held.step, nth: held.nth, says: answerFor(outcome) } };
  }
  const party = now.parties.find(({ state, mocked }) => state === 'ringing' && !mocked);
  if (party !== undefined) {
    const says = outcome.startsWith('failed.') ? outcome.slice('failed.'.length) : 'answer';
    return {
      do: 'mock',
      mock: { of: 'party', verb: party.verb ?? 'bridge', number: party.name, nth: nthOf(party.leg, now), says },
    };
  }
  if (outcome === 'hangup') return { do: 'hang_up' };
  const key = exit.key === undefined ? undefined : /[0-9*#]/.exec(exit.key)?.[0];
  if (key !== undefined) return { do: 'press', digits: key };
  if (SETBACKS.test(outcome)) return { do: 'stay_silent' };
  if (outcome === 'speech') return { do: 'say', text: 'hello' };
  if (outcome === 'collected' || outcome === 'digits') return { do: 'press', digits: keysFor(step) };
  if (step.verb === 'record') return { do: 'say', text: 'hello' };
  if (now.waits_for?.signals?.[0] !== undefined) return { do: 'event', name: now.waits_for.signals[0] };
  return now.waits_for?.until_ms === undefined ? undefined : { do: 'let_pass', ms: 10_000 };
}

function answerFor(outcome: string): { status: number; body: Record<string, never> } | { timeout: true } {
  if (outcome === 'not_found') return { status: 404, body: {} };
  if (outcome.includes('timeout')) return { timeout: true };
  if (outcome === 'failed.4xx') return { status: 400, body: {} };
  return { status: outcome.startsWith('failed') ? 500 : 200, body: {} };
}

/** Number of digits that the step expects: `6 digits`, `2–5 digits`. */
function keysFor({ badges }: GraphStep): string {
  const range = badges.map((badge) => /^(\d+)(?:–(\d+))? digits?$/.exec(badge)).find((found) => found !== null);
  const least = Number(range?.[1] ?? 4);
  const digits = Array.from({ length: least }, (_, index) => String((index + 1) % 10)).join('');
  return range !== undefined && range[2] === undefined ? digits : `${digits}#`;
}

/** Number of this call among the calls to the same address by the same verb, from 1. */
export function nthOf(leg: string, { parties }: Pick<Simulation, 'parties'>): number {
  const party = parties.find((each) => each.leg === leg);
  const same = parties.filter(({ name, verb }) => name === party?.name && verb === party?.verb);
  return Math.max(1, same.findIndex((each) => each.leg === leg) + 1);
}
