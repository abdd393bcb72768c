/** Phases of a call to a phone in words, and the numbers that it may present. */
import { describe, expect, it } from 'vitest';
import { callerIds, needsRoute, phaseOf } from '../../../src/pages/studio/web/live/call-out-words.ts';

const call = {
  ...{ id: '1', direction: 'out' as const, from: '1000', to: '2000', flow: 'hello', state: 'initiated' },
  ...{ startedMs: 0, isRecorded: false },
};

describe('the phase of a call', () => {
  it.each([
    [undefined, undefined, 'Calling', 'wait'],
    [call, undefined, 'Calling', 'wait'],
    [{ ...call, state: 'ringing' }, undefined, 'Ringing', 'wait'],
    [{ ...call, state: 'connected' }, undefined, 'Answered', 'good'],
    [{ ...call, step: 'hello' }, undefined, 'Answered', 'good'],
    [{ ...call, endedMs: 9, cause: 'Normal Clearing' }, true, 'Over: Hung up (normal)', 'good'],
    [{ ...call, endedMs: 9, cause: 'User Busy' }, false, 'Not answered: Busy', 'bad'],
    [{ ...call, endedMs: 9 }, false, 'Not answered: Ended', 'bad'],
  ])('describes %j, answered: %s, as %s', (row, isConnected, words, tone) => {
    expect(phaseOf(row, isConnected)).toMatchObject({ words, tone, isOver: row !== undefined && 'endedMs' in row });
  });
});

describe('caller IDs', () => {
  it('lists the numbers of the flow first, and only those of the project', () => {
    const numbers = [
      { number: '1', flow: 'other', project: 'a' },
      { number: '2', flow: 'hello', project: 'a' },
      { number: '3', flow: 'hello', project: 'b' },
    ];
    expect(callerIds(numbers, 'hello', 'a')).toEqual(['2', '1']);
    expect(callerIds(numbers, 'hello', undefined)).toEqual(['2', '3', '1']);
  });
});

it('knows destinations that need a route', () => {
  expect(['+33612', '1000'].every(needsRoute)).toBe(true);
  expect(['sip:ada@phones.example', 'SIPS:a@b', 'user:bob'].some(needsRoute)).toBe(false);
});
