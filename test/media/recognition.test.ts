import { describe, expect, it } from 'vitest';
import { fault } from '../../src/base/core/fault.ts';
import { FINAL_RESULT_MS, LegRecognition } from '../../src/media/telephony/media/leg-recognition.ts';
import type { MediaCommandOf, MediaEvent } from '../../src/media/telephony/media/media-port.ts';
import type { ThreadLegCommand } from '../../src/media/telephony/media/worker-messages.ts';
import type { RecognitionEvent, Recognizer } from '../../src/media/telephony/recognition.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Sessions with results from the test, which record the commands they receive. */
function half(recognizer?: Partial<Recognizer>) {
  const sessions: { done: string[]; tell: (event: RecognitionEvent) => void }[] = [];
  const fake: Recognizer = {
    refusal: () => undefined,
    open: (_, onEvent) => {
      const done: string[] = [];
      sessions.push({ done, tell: onEvent });
      return {
        write: (pcm) => done.push(`write ${pcm.length}`),
        finish: () => done.push('finish'),
        abort: () => done.push('abort'),
      };
    },
    ...recognizer,
  };
  const commands: ThreadLegCommand[] = [];
  const events: MediaEvent[] = [];
  const clock = new VirtualClock();
  const recognition = new LegRecognition({
    recognizer: recognizer === undefined ? undefined : fake,
    clock,
    send: (command) => commands.push(command),
    emit: (event) => events.push(event),
  });
  return { recognition, sessions, commands, events, clock };
}

const request = (listenId: string, more: Partial<MediaCommandOf<'listen'>> = {}): MediaCommandOf<'listen'> => ({
  type: 'listen',
  listenId,
  language: 'en-US',
  hints: [],
  minConfidence: 0.5,
  endSilenceMs: 800,
  maxLengthMs: 10_000,
  ...more,
});

describe('recognition of a leg', () => {
  it('passes audio on and reports the results', async () => {
    const { recognition, sessions, commands, events } = half({});
    recognition.listen(request('l'));
    expect(commands).toEqual([{ type: 'listen', listenId: 'l', track: 'inbound' }]);
    recognition.piece('l', new Int16Array(800));
    recognition.piece('nobody', new Int16Array(800));
    sessions[0]!.tell({ type: 'speech_started', atMs: 100 });
    sessions[0]!.tell({ type: 'ended', reason: 'recognized', text: 'yes', confidence: 0.9 });
    sessions[0]!.tell({ type: 'ended', reason: 'no_match' });
    recognition.over('l');
    await settled();
    expect(sessions[0]!.done).toEqual(['write 800']);
    expect(events).toEqual([
      { type: 'speech_started', listenId: 'l' },
      { type: 'listen_ended', listenId: 'l', reason: 'recognized', text: 'yes', confidence: 0.9 },
    ]);
    expect(commands.at(-1)).toEqual({ type: 'stop_listen', listenId: 'l' });
  });

  it('fails without a recogniser, or with its refusal, after the call returned', async () => {
    const refused = fault('no_model', 'there is no model for this language');
    for (const [half_, code] of [
      [half(), 'no_recognizer'],
      [half({ refusal: () => refused }), 'no_model'],
    ] as const) {
      half_.recognition.listen(request('l'));
      expect(half_.events).toEqual([]);
      await settled();
      expect(half_.events).toMatchObject([{ listenId: 'l', reason: 'failed', fault: { code } }]);
      expect(half_.commands).toEqual([]);
    }
  });

  it('runs once per kind: for an answer, and continuously per track', async () => {
    const { recognition, sessions, events } = half({});
    recognition.listen(request('a'));
    recognition.listen(request('in', { continuous: true }));
    recognition.listen(request('out', { continuous: true, track: 'outbound' }));
    recognition.listen(request('b'));
    await settled();
    expect(events).toEqual([{ type: 'listen_ended', listenId: 'a', reason: 'stopped' }]);
    expect(sessions.map(({ done }) => done)).toEqual([['abort'], [], [], []]);
    recognition.stop('b');
    recognition.stop('b');
    expect(events).toHaveLength(1);
    await settled();
    expect(events).toHaveLength(2);
  });

  it('reports a final utterance when a continuous listen is stopped, and answers then', () => {
    const { recognition, sessions, events } = half({});
    recognition.listen(request('t', { continuous: true }));
    sessions[0]!.tell({ type: 'utterance', text: 'hello', confidence: 0.8, fromMs: 0, toMs: 500 });
    recognition.stop('t');
    recognition.piece('t', new Int16Array(300));
    recognition.over('t');
    expect(sessions[0]!.done).toEqual(['write 300', 'finish']);
    sessions[0]!.tell({ type: 'utterance', text: 'goodbye', confidence: 0.8, fromMs: 900, toMs: 1500 });
    sessions[0]!.tell({ type: 'ended', reason: 'no_input' });
    expect(events.map((event) => (event.type === 'utterance' ? event.text : event.type))).toEqual([
      'hello',
      'goodbye',
      'listen_ended',
    ]);
    expect(events.at(-1)).toMatchObject({ listenId: 't', reason: 'stopped' });
  });

  it('does not delay the end of a leg when the recogniser never answers', async () => {
    const { recognition, sessions, events, clock } = half({});
    recognition.listen(request('t', { continuous: true }));
    recognition.listen(request('a'));
    recognition.over('t');
    recognition.over('a');
    let over = false;
    void recognition.settled().then(() => {
      over = true;
    });
    await settled();
    expect([over, events.length]).toEqual([false, 1]);
    await clock.advance(FINAL_RESULT_MS);
    await settled();
    expect(over).toBe(true);
    expect(sessions.map(({ done }) => done)).toEqual([['finish', 'abort'], ['abort']]);
    expect(events).toHaveLength(2);
  });

  it('fails for every listen when the media thread dies', async () => {
    const { recognition, events } = half({});
    recognition.listen(request('a'));
    recognition.listen(request('t', { continuous: true }));
    recognition.lost(fault('media_failed', 'gone'));
    await recognition.settled();
    expect(events).toMatchObject([
      { listenId: 'a', reason: 'failed' },
      { listenId: 't', reason: 'failed' },
    ]);
  });
});
