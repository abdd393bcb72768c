import { expect, it } from 'vitest';
import type { LegCommand } from '../../src/base/core/leg.ts';
import { requestKeyOf } from '../../src/base/core/leg-answers.ts';
import type { LegAtEngine } from '../../src/media/telephony/engine.ts';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import { missedEvents } from '../../src/service/runtime/missed-events.ts';

const COMMANDS: readonly LegCommand[] = [
  { type: 'play', playId: 'p', audio: [] },
  { type: 'send_digits', sendId: 's', digits: '1', toneMs: 100, gapMs: 100 },
  { type: 'record', recordId: 'r', file: 'r.wav', maxLengthMs: 1000, endSilenceMs: 0, terminators: '' },
];

const journal = COMMANDS.map(
  (command, index): JournalEntry => ({ kind: 'command', command, seq: index + 1, atMs: 0, wallMs: 0 }) as JournalEntry,
);
const missed = (commands: number, open: readonly LegCommand[] = []): string[] => {
  const keys = open.map(requestKeyOf);
  const leg: LegAtEngine = { state: 'connected', commands, isOpen: (key) => keys.includes(key) };
  return missedEvents(journal, 'leg', () => leg).map(({ event }) => event.type);
};

it('answers what the engine has and does not do any more, and nothing else: or its step would wait for ever', () => {
  expect(missed(3)).toEqual(['answered', 'play_ended', 'digits_sent', 'record_ended']);
  expect(missed(2)).toEqual(['answered', 'play_ended', 'digits_sent']);
  expect(missed(0)).toEqual(['answered']);
  expect(missed(3, COMMANDS)).toEqual(['answered']);
});

it('reports a recording without any data as failed', () => {
  const [last] = missedEvents(journal, 'leg', () => ({ state: 'connected', commands: 3, isOpen: () => false })).slice(
    -1,
  );
  expect(last).toMatchObject({ event: { recordId: 'r', reason: 'failed', fault: { code: 'record_failed' } } });
});
