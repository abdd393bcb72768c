/**
 * Random events of network, caller and application in random order, with a store of any speed: effects follow their
 * stored decisions, the journal keeps its rules, the call has one end, and the same history gives the same journal. The
 * simulated engine keeps none of its guarantees.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replaySteps } from '../../src/proof/testkit/replay.ts';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import { rounds } from '../rounds.ts';
import { checkedSteps } from '../steps/scripted-call.ts';
import { library, openFlows, story, tell } from './random-call.ts';

const EVENTFUL = [
  'bridge bridged',
  'bridge bridge_disconnected',
  'bridge failed',
  'venue joined',
  'venue left',
  'recording completed',
  'stream stream_started',
  'transcript',
  'held',
  'digit',
  'a branch',
  'a partner',
  'taken again',
  'a transfer told',
];

/** Results of a history that need several events to occur. */
function happenings(journal: JournalEntry[]): string[] {
  const words = journal.flatMap((entry) => {
    switch (entry.kind) {
      case 'bridge':
      case 'recording':
      case 'stream':
        return [`${entry.kind} ${entry.state}`];
      case 'venue':
        return [`venue ${entry.event}`];
      case 'entered':
        return entry.branch === undefined ? [] : ['a branch'];
      case 'command':
        if (entry.command.type === 'refer_progress') return ['a transfer told'];
        if (entry.leg === undefined) return [];
        if (entry.command.type === 'hold') return ['a partner'];
        return entry.command.type === 'resume' ? ['taken again'] : [];
      default:
        return [entry.kind];
    }
  });
  return words.filter((what) => EVENTFUL.includes(what));
}

describe('any order of events', () => {
  const happened = new Set<string>();

  it('keeps the invariants of the journal', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (given) => {
        const { wrong, journal } = await tell(given);
        expect(wrong).toEqual([]);
        for (const what of happenings(JSON.parse(journal))) happened.add(what);
      }),
      { numRuns: rounds(130), seed: 8 },
    );
    // Calls without events would satisfy the rules, too, so each kind of event must have occurred.
    expect([...happened].toSorted()).toEqual([...EVENTFUL].toSorted());
  });

  it('is replayed from its inputs alone', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (given) => {
        const { journal } = await tell(given, openFlows);
        const source = (name: unknown) => library[String(name)] ?? openFlows[given.start];
        const again = await replaySteps(JSON.parse(journal), source, {
          steps: checkedSteps,
          callId: 'call-1',
          eventUrl: 'https://app.example/',
        });
        expect(again.ok ? 'the same' : again.divergence).toBe('the same');
      }),
      { numRuns: rounds(40), seed: 7 },
    );
  });

  it('gives the same journal and the same replies again', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (given) => {
        expect(await tell(given)).toEqual(await tell(given));
      }),
      { numRuns: rounds(25), seed: 5 },
    );
  });
});
