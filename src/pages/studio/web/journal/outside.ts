/**
 * Interactions of a call with other systems: HTTP requests, called parties, conferences, queues, rooms and
 * applications.
 */
import type { Json } from '../../../../base/core/json.ts';
import {
  beginOf,
  type Entry,
  type Input,
  type LegPhase,
  legPhaseOf,
  type RecordedReply,
  type Span,
} from './entries.ts';
import { endWithCall } from './visits.ts';

export type Outside = Span & { seq: number } & (
    | { what: 'request'; visit: number; method: string; url: string; body?: Json; answer?: RecordedReply }
    | { what: 'party'; visit: number; leg: string; to: string; phase: LegPhase; answeredMs?: number; cause?: string }
    | { what: 'venue'; venue: string; name: string; events: { atMs: number; event: string }[] }
    /** Command from the REST API or from the response to an event. */
    | { what: 'command'; command: string; name?: string }
    /** Event sent to the application. */
    | { what: 'notified'; event: string }
  );

type OutsideOf<What extends Outside['what']> = Extract<Outside, { what: What }>;

export function outsideOf(journal: readonly Entry[]): Outside[] {
  const begin = beginOf(journal);
  const list: Outside[] = [];
  const requests = new Map<string, OutsideOf<'request'>>();
  const parties = new Map<string, OutsideOf<'party'>>();
  const venues = new Map<string, OutsideOf<'venue'>>();
  for (const entry of journal) {
    const { seq } = entry;
    const fromMs = entry.atMs - begin;
    switch (entry.kind) {
      case 'request': {
        const { method, url, visit, body } = entry;
        const made: OutsideOf<'request'> = { what: 'request', method, url, visit, seq, fromMs };
        if (body !== undefined) made.body = body;
        requests.set(entry.requestId, made);
        list.push(made);
        break;
      }
      case 'dialled': {
        const { leg, to, visit } = entry;
        const made: OutsideOf<'party'> = { what: 'party', leg, to, visit, phase: 'called', seq, fromMs };
        parties.set(leg, made);
        list.push(made);
        break;
      }
      case 'venue': {
        const { venue, name, ticket: memberId, event } = entry;
        let membership = venues.get(memberId);
        if (membership === undefined) {
          membership = { what: 'venue', venue, name, events: [], seq, fromMs };
          venues.set(memberId, membership);
          list.push(membership);
        }
        membership.events.push({ atMs: fromMs, event });
        if (event === 'left' || event === 'denied' || event === 'ended') membership.toMs = fromMs;
        break;
      }
      case 'notified':
        list.push({ what: 'notified', event: entry.event, seq, fromMs, toMs: fromMs });
        break;
      case 'in':
        follow(entry.input, seq, fromMs);
        break;
      default:
    }
  }
  return endWithCall(list, journal);

  function follow(input: Input, seq: number, atMs: number): void {
    if (input.type === 'http') {
      const request = requests.get(input.requestId);
      if (request !== undefined) Object.assign(request, { toMs: atMs, answer: input.reply });
    }
    if (input.type === 'command') {
      const { command } = input;
      const named = 'name' in command && command.name !== undefined ? { name: command.name } : {};
      list.push({ what: 'command', command: command.type, ...named, seq, fromMs: atMs, toMs: atMs });
    }
    const party = input.type === 'leg' && input.leg !== undefined ? parties.get(input.leg) : undefined;
    if (party === undefined || input.type !== 'leg') return;
    party.phase = legPhaseOf(input.event) ?? party.phase;
    if (input.event.type === 'answered') party.answeredMs = atMs;
    if (input.event.type !== 'ended') return;
    party.toMs = atMs;
    party.cause = input.event.cause.reason;
  }
}

/** `404`, `timeout`. */
export const wordsOfAnswer = (answer: RecordedReply): string =>
  String(answer.ok ? answer.status : answer.reason).replaceAll('_', ' ');
