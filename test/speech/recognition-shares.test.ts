/** Shares of projects in the sessions of a recogniser. */
import { describe, expect, it } from 'vitest';
import { createRecognizers, type Recognizers } from '../../src/media/speech/recognizers.ts';
import type { RecognitionEvent, RecognitionRequest } from '../../src/media/telephony/recognition.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { projectShare } from '../../src/service/calls/capacity.ts';

const SESSIONS = 10;

const asked = (projectId?: string): RecognitionRequest => ({
  ...{ language: 'en', hints: [], minConfidence: 0, endSilenceMs: 500, maxLengthMs: 10_000 },
  ...(projectId === undefined ? {} : { projectId }),
});

/** Engines of a service with this many projects; no audio is sent to them. */
const recognizersFor = (projects: number, names = ['first']): Recognizers =>
  createRecognizers({
    entries: names.map((name) => ({ engine: 'http', url: `http://127.0.0.1:9/${name}`, maxSessions: SESSIONS })),
    ...{ dataDirectory: '/nonexistent', clock: new VirtualClock() },
    shareOf: (calls) => projectShare({}, { calls }, () => projects > 1),
  });

const openMany = (recognizers: Recognizers, count: number, projectId?: string) =>
  Array.from({ length: count }, () => recognizers.open(asked(projectId), () => undefined));

describe('sessions of a recogniser', () => {
  it('are left to other projects by a project that uses 80 % of them', () => {
    const recognizers = recognizersFor(2);
    openMany(recognizers, 7, 'one');
    expect(recognizers.refusal(asked('one'))).toBeUndefined();
    openMany(recognizers, 1, 'one');
    expect(recognizers.refusal(asked('one'))).toMatchObject({
      code: 'recognizer_busy',
      message: expect.stringContaining('8 calls of the project'),
      retryable: true,
    });
    openMany(recognizers, 1, 'two');
    expect([recognizers.refusal(asked('two')), recognizers.refusal(asked())]).toEqual([undefined, undefined]);
    openMany(recognizers, 1, 'three');
    expect(recognizers.refusal(asked('two'))).toMatchObject({ message: '10 calls are listened to already' });
  });

  it('are all for the only project of a service', () => {
    const recognizers = recognizersFor(1);
    openMany(recognizers, SESSIONS - 1, 'one');
    expect(recognizers.refusal(asked('one'))).toBeUndefined();
  });

  it('are available to the project again when a listening ends', async () => {
    const recognizers = recognizersFor(2);
    const [first, second] = openMany(recognizers, 8, 'one');
    const events: RecognitionEvent[] = [];
    recognizers.open(asked('one'), (event) => void events.push(event));
    await expect.poll(() => events).toMatchObject([{ reason: 'failed', fault: { code: 'recognizer_busy' } }]);
    first!.abort();
    first!.abort();
    expect(recognizers.refusal(asked('one'))).toBeUndefined();
    openMany(recognizers, 1, 'one');
    expect(recognizers.refusal(asked('one'))).toBeDefined();
    second!.abort();
    expect(recognizers.refusal(asked('one'))).toBeUndefined();
  });

  it('are taken from the next engine by a project that has its share of the first', () => {
    const recognizers = recognizersFor(2, ['first', 'second']);
    openMany(recognizers, 8, 'one');
    expect(recognizers.refusal(asked('one'))).toBeUndefined();
    openMany(recognizers, 8, 'one');
    expect(recognizers.refusal(asked('one'))).toBeDefined();
    expect(recognizers.refusal(asked('two'))).toBeUndefined();
  });
});
