/**
 * Points at which a call waits for the next action: of the caller, of an external service, or of a called party.
 * `play-choices.ts` plays a call up to the next one, `actions-at.ts` lists the actions.
 */
import { factsOf } from '../../language/flow/verb-facts.ts';
import type { JournalEntry, JournalEntryOf } from '../../service/runtime/journal.ts';
import type { ScenarioCall } from '../testkit/scenario-call.ts';
import type { PartyMockKey } from '../testkit/scenario-parties.ts';
import type { WatchedWait } from '../testkit/watch-steps.ts';

export type Stop =
  | { kind: 'request'; step: string }
  | { kind: 'party'; word: PartyMockKey; to: string; visit: number; leg: string }
  /** The caller or an application may act: these step runs wait for input. */
  | { kind: 'turn'; visits: readonly OpenVisit[] }
  | { kind: 'ended'; entry: JournalEntryOf<'ended'> }
  /** No further event occurs without input, within the limits of virtual time and journal entries. */
  | { kind: 'stays'; why: 'nothing' | 'virtual_time' | 'entries' };

export interface OpenVisit {
  visit: number;
  flow: string;
  step: string;
  verb: string;
  wait: WatchedWait;
}

/** Returns the step runs that have not ended, by number. */
export function openVisits(
  journal: readonly JournalEntry[],
  waits: ReadonlyMap<number, WatchedWait>,
): Map<number, OpenVisit> {
  const open = new Map<number, OpenVisit>();
  for (const entry of journal) {
    if (entry.kind === 'left') open.delete(entry.visit);
    if (entry.kind === 'entered') open.set(entry.visit, openVisit(entry, waits));
  }
  return open;
}

export const openVisit = (
  { visit, flow, step, verb }: JournalEntryOf<'entered'>,
  waits: ReadonlyMap<number, WatchedWait>,
): OpenVisit => ({ visit, flow, step, verb, wait: waits.get(visit) ?? {} });

/** Returns the point at which the call is; undefined if it continues without an action. */
export function stopOf({ call, mocks, parties, agents }: ScenarioCall, turn: () => OpenVisit[]): Stop | undefined {
  const ended = call.hasEnded ? call.journal.findLast((entry) => entry.kind === 'ended') : undefined;
  if (ended) return { kind: 'ended', entry: ended };
  const request = mocks.unmocked[0] ?? agents.unmocked[0];
  if (request) return { kind: 'request', step: request.step };
  const party = parties.unmocked[0];
  if (party) return partyStop(party, call.journal);
  const visits = turn();
  return visits.length === 0 ? undefined : { kind: 'turn', visits };
}

export function partyStop(
  { legId, word, to }: ScenarioCall['parties']['unmocked'][number],
  journal: readonly JournalEntry[],
): Stop {
  const dialled = journal.find((entry) => entry.kind === 'dialled' && entry.leg === legId);
  return { kind: 'party', word, to, visit: dialled?.kind === 'dialled' ? dialled.visit : 0, leg: legId };
}

interface TurnOptions {
  /** True if the flow has interrupts by keys or events. */
  hasInterrupts: boolean;
  /** True to include steps whose prompt still plays. */
  duringPrompts?: boolean;
}

/** Returns those of the step runs that wait for the caller or an application. */
export function waitingVisits(
  { call: { farEnd } }: ScenarioCall,
  open: ReadonlyMap<number, OpenVisit>,
  { hasInterrupts, duringPrompts = false }: TurnOptions,
): OpenVisit[] {
  if (farEnd.state === 'ended') return [];
  return [...open.values()].filter(({ verb, wait }) => {
    const { listens, simulated } = factsOf(verb);
    switch (listens) {
      case 'asks':
        // The prompt still plays, or the recognition of the last utterance is pending.
        if (!duringPrompts && (farEnd.hears || farEnd.listening === 'hears')) return false;
        return wait.digits !== undefined || farEnd.listening === 'waits';
      case 'records':
        return farEnd.isRecorded;
      case 'talks':
        return farEnd.company.length > 0;
      case 'sounds':
        return farEnd.hears && (wait.digits !== undefined || hasInterrupts);
      case 'always':
      case 'converses':
        // The parties of the step make the next choice, unless it waits for keys or events.
        return wait.digits !== undefined || wait.signals !== undefined || simulated !== 'parties';
      default:
        return false;
    }
  });
}

export const hasInterrupts = (events: Readonly<Record<string, string>>): boolean =>
  Object.keys(events).some((name) => /^(dtmf|event)\./.test(name));
