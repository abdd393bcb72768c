/**
 * Each accepted action of a call has exactly one end reported, before the end of the call: after hang-ups and orderly
 * stops, and after a crash at any decision.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { lostCall } from '../../src/service/calls/recovery/recover-calls.ts';
import { deliveriesOf } from '../../src/service/observers/webhooks/events.ts';
import type { CallWrite } from '../../src/service/runtime/call-store.ts';
import type { CallRecord, JournalEntry } from '../../src/service/runtime/journal.ts';
import type { RecoveredRecording } from '../../src/service/runtime/open-actions.ts';
import { rounds } from '../rounds.ts';
import { type Act, flows, STARTS, story, tell } from './random-call.ts';

const answers: Act = { act: 'respond', which: 0 };
const transfers: Act = { act: 'command', command: { type: 'transfer', channelId: 'c', args: { to: 'h' } } };
/** Stories of two who talk with each other, and are to be parted. */
const talk = story.map((given) => ({
  ...given,
  start: STARTS.indexOf('talk'),
  acts: [answers, answers, answers, transfers, ...given.acts],
}));
const stories = fc.oneof({ weight: 4, arbitrary: story }, { weight: 1, arbitrary: talk });

interface Accepted {
  what: string;
  /** Whether this event is its end. */
  isEnd(event: JsonObject): boolean;
}

const PLACES = {
  conference: { id: 'conference_id', ends: ['conference_left', 'conference_failed', 'conference_full'] },
  room: { id: 'room_id', ends: ['left', 'room_failed', 'room_denied'] },
} as const;

/** Actions that were accepted or started and need an end, by the ids that clients know. */
function acceptedIn(journal: readonly JournalEntry[]): Accepted[] {
  return journal.flatMap((entry): Accepted[] => {
    if (entry.kind === 'in' && entry.input.type === 'command') {
      const { command } = entry.input;
      if (command.type === 'play') {
        return [{ what: `play ${command.playId}`, isEnd: (event) => event['play_id'] === command.playId }];
      }
      if (command.type === 'bridge') return [bridge(command.bridgeId)];
      if (command.type === 'transfer') {
        const isEnd = (event: JsonObject) => event['channel_id'] === command.channelId;
        return [{ what: `transfer ${command.channelId}`, isEnd }];
      }
    }
    if (entry.kind === 'bridge' && entry.state === 'initiated') return [bridge(entry.bridgeId)];
    if (entry.kind === 'recording' && entry.state === 'started') {
      const { recordingId } = entry;
      const isEnd = ({ recording_id: id, state }: JsonObject) =>
        id === recordingId && (state === 'completed' || state === 'failed');
      return [{ what: `recording ${recordingId}`, isEnd }];
    }
    if (entry.kind === 'stream' && entry.state === 'stream_initiated') {
      const { streamId } = entry;
      const isEnd = ({ stream_id: id, state }: JsonObject) =>
        id === streamId && (state === 'stream_stopped' || state === 'stream_failed');
      return [{ what: `stream ${streamId}`, isEnd }];
    }
    return [];
  });
}

const bridge = (bridgeId: string): Accepted => ({
  what: `bridge ${bridgeId}`,
  isEnd: ({ bridge_id: id, channel_id: channelId, state }) =>
    id === bridgeId && channelId === undefined && (state === 'failed' || state === 'bridge_disconnected'),
});

/**
 * Joins have no id of their own, so they are counted by venue. `ended` alone is the end of a member that was not
 * admitted yet.
 */
function wrongJoins(journal: readonly JournalEntry[], events: readonly JsonObject[]): string[] {
  const asked = new Map<string, { accepted: number; begun: number }>();
  const of = (place: string) => asked.get(place) ?? asked.set(place, { accepted: 0, begun: 0 }).get(place)!;
  for (const entry of journal) {
    if (entry.kind === 'venue' && entry.event === 'entered' && entry.venue !== 'queue') {
      of(`${entry.venue} ${entry.name}`).begun++;
    }
    if (entry.kind !== 'in' || entry.input.type !== 'command') continue;
    const { command } = entry.input;
    if (command.type === 'conference') of(`conference ${command.args['conference_id']}`).accepted++;
    if (command.type === 'join_room') of(`room ${command.args['room_id']}`).accepted++;
  }
  return [...asked].flatMap(([place, { accepted, begun }]) => {
    const [venue, name] = place.split(' ') as [keyof typeof PLACES, string];
    const { id, ends } = PLACES[venue];
    const about = events.filter((event) => event[id] === name).map(({ state }) => String(state));
    const told = about.filter((state) => (ends as readonly string[]).includes(state)).length;
    const ended = about.filter((state) => state === `${venue}_ended`).length;
    // Joins that were started, and joins that were requested but never started: events do not distinguish them.
    const least = Math.max(accepted, begun);
    const fits = told + ended >= least && told <= accepted + begun;
    return fits ? [] : [`${place}: ${accepted} asked for, ${begun} begun, ${about.join()}`];
  });
}

/** Errors in the reported ends. */
function wrongEnds(journal: readonly JournalEntry[], record: CallRecord): string[] {
  const events = journal.flatMap((entry) =>
    deliveriesOf(entry, record, { nextId: () => '', recordingUrl: (id) => id }).map((each) => each.payload),
  );
  const finals = events.flatMap(({ state }, index) =>
    (state === 'disconnected' || state === 'failed') && events[index]!['call_duration'] !== undefined ? [index] : [],
  );
  const final = journal.some(({ kind }) => kind === 'ended') ? finals.at(-1) : undefined;
  const before = final === undefined ? events : events.slice(0, final);
  const accepted = [...new Map(acceptedIn(journal).map((each) => [each.what, each])).values()];
  return [
    ...accepted.flatMap(({ what, isEnd }) => {
      const [ends, inTime] = [events.filter(isEnd).length, before.filter(isEnd).length];
      return ends === 1 && inTime === 1 ? [] : [`${what}: ${ends} ends, ${inTime} before the end of the call`];
    }),
    ...wrongJoins(journal, events),
  ];
}

const RECOVERED: RecoveredRecording = { durationMs: 1500, recovered: true };

/** Journals after a crash at each write, closed by the next run of the service. */
function* crashes(
  writes: readonly CallWrite[],
): Generator<{ after: number; journal: JournalEntry[]; record: CallRecord }> {
  const journal: JournalEntry[] = [];
  for (const [after, write] of writes.entries()) {
    journal.push(...write.entries);
    if (journal.at(-1)?.kind === 'ended') return;
    const atMs = journal.at(-1)!.atMs;
    const { record, entries } = lostCall(write.record, journal, { atMs, recordingOf: () => RECOVERED });
    yield { after, journal: [...journal, ...entries], record };
  }
}

describe('accepted actions', () => {
  const seen = new Set<string>();

  it('has exactly one end, even when other things happen on the call', async () => {
    await fc.assert(
      fc.asyncProperty(stories, async (given) => {
        const { writes } = await tell(given);
        const journal = writes.flatMap(({ entries }) => entries);
        expect(wrongEnds(journal, writes.at(-1)!.record)).toEqual([]);
        for (const { what } of acceptedIn(journal)) seen.add(what.split(' ')[0]!);
      }),
      { numRuns: rounds(120), seed: 11 },
    );
    expect([...seen].toSorted()).toEqual(['bridge', 'play', 'recording', 'stream', 'transfer']);
  });

  it('has one end, over a crash after any decision', async () => {
    let lost = 0;
    await fc.assert(
      fc.asyncProperty(stories, async (given) => {
        const { writes } = await tell(given);
        for (const { after, journal, record } of crashes(writes)) {
          expect([after, wrongEnds(journal, record)]).toEqual([after, []]);
          if (acceptedIn(journal).length > 0) lost++;
        }
      }),
      { numRuns: rounds(60), seed: 12 },
    );
    expect(lost).toBeGreaterThan(100);
  });

  it('has one end, over a decision that cannot be written', async () => {
    let broken = 0;
    await fc.assert(
      fc.asyncProperty(stories, fc.integer({ min: 3, max: 20 }), async (given, brokenAt) => {
        const { writes } = await tell(given, flows, brokenAt);
        const journal = writes.flatMap(({ entries }) => entries);
        expect(wrongEnds(journal, writes.at(-1)!.record)).toEqual([]);
        if (journal.some((entry) => entry.kind === 'ended' && entry.fault?.code === 'internal')) broken++;
      }),
      { numRuns: rounds(80), seed: 14 },
    );
    expect(broken).toBeGreaterThan(20);
  });

  it('is not reported a second time after a crash at the end of the call', async () => {
    await fc.assert(
      fc.asyncProperty(stories, async (given) => {
        const { writes } = await tell(given);
        for (const { journal, record } of crashes(writes)) {
          const { entries } = lostCall(record, journal, { atMs: 0, recordingOf: () => RECOVERED });
          expect(entries.map(({ kind }) => kind)).toEqual(['in', 'ended']);
        }
      }),
      { numRuns: rounds(15), seed: 13 },
    );
  });
});
