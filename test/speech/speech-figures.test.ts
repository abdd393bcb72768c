/** Metrics of speech engines: latency and failures. */
import { describe, expect, it } from 'vitest';
import { fault } from '../../src/base/core/fault.ts';
import {
  recognizedText,
  type Transcriber,
  type TranscriptionListener,
  type TranscriptionRequest,
} from '../../src/media/speech/recognition/transcriber.ts';
import { createSpeechFigures } from '../../src/media/speech/speech-figures.ts';
import type { Synthesizer } from '../../src/media/speech/synthesizer.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { countedIn, readFigure } from '../figures.ts';
import { fakeSynthesizer } from './fake-synthesizer.ts';

const REQUEST = { text: 'Good|morning', language: 'en-US', voice: 'female', rate: 1, pitch: 1 } as const;

describe('metrics of synthesis', () => {
  const said = async (engine: Synthesizer, signal = new AbortController().signal): Promise<number> => {
    let pieces = 0;
    for await (const _ of engine.synthesize(REQUEST, signal)) pieces++;
    return pieces;
  };

  it('contains the time to the first chunk, not to the last', async () => {
    const clock = new VirtualClock();
    const figures = createSpeechFigures(clock);
    const slow: Synthesizer = {
      ...fakeSynthesizer({ name: 'studio-voice' }),
      async *synthesize() {
        for (const waitMs of [700, 5000]) {
          await new Promise<void>((resolve) => clock.after(waitMs, resolve));
          yield new Int16Array(8);
        }
      },
    };
    const spoken = said(figures.synthesizer(slow));
    await clock.advance(6000);
    expect(await spoken).toBe(2);
    expect(readFigure(figures, 'speech_synthesis_seconds')['studio-voice']).toMatchObject({ sum: 0.7 });
    expect(countedIn(figures, 'speech_synthesis_total')).toEqual({ 'studio-voice ok': 1 });
  });

  it('distinguishes failures from callers who left', async () => {
    const figures = createSpeechFigures(new VirtualClock());
    const broken = fakeSynthesizer({ name: 'broken' });
    broken.breakWith(new Error('no power'));
    await expect(said(figures.synthesizer(broken))).rejects.toThrow('no power');
    const left = new AbortController();
    const waiting = said(figures.synthesizer(fakeSynthesizer({ name: 'slow', held: true })), left.signal);
    left.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    for await (const _ of figures.synthesizer(fakeSynthesizer({ name: 'cut' })).synthesize(REQUEST, left.signal)) break;
    expect(countedIn(figures, 'speech_synthesis_total')).toEqual({
      'broken failed': 1,
      'slow aborted': 1,
      'cut aborted': 1,
    });
  });
});

describe('metrics of recognition', () => {
  const LISTEN = { phrases: undefined, fillerPhrases: [] } as unknown as TranscriptionRequest;
  const silent: TranscriptionListener = { partial: () => undefined, failed: () => undefined };

  function rig(end: () => Promise<ReturnType<typeof recognizedText>>) {
    const clock = new VirtualClock();
    const figures = createSpeechFigures(clock);
    let listener = silent;
    const engine: Transcriber = {
      name: 'whisper',
      languages: ['*'],
      refusal: () => undefined,
      open(_request, listening) {
        listener = listening;
        return { write: () => undefined, end, close: () => undefined };
      },
      stop: async () => undefined,
    };
    const transcription = figures.transcriber(engine).open(LISTEN, silent);
    return { clock, figures, transcription, fail: () => listener.failed(fault('recognition_failed', 'it died')) };
  }

  it('contains the time from the end of an utterance to its words', async () => {
    const answer = Promise.withResolvers<ReturnType<typeof recognizedText>>();
    const { clock, figures, transcription } = rig(() => answer.promise);
    const words = transcription.end();
    await clock.advance(300);
    answer.resolve(recognizedText('yes', 1));
    expect((await words).words).toHaveLength(1);
    expect(readFigure(figures, 'speech_recognition_seconds')['whisper']).toMatchObject({ sum: 0.3 });
    expect(countedIn(figures, 'speech_recognition_total')).toEqual({ 'whisper ok': 1 });
  });

  it('counts a failure once, and an abandoned utterance as aborted', async () => {
    const broken = rig(() => Promise.reject(new Error('no')));
    await expect(broken.transcription.end()).rejects.toThrow('no');
    broken.fail();
    expect(countedIn(broken.figures, 'speech_recognition_total')).toEqual({ 'whisper failed': 1 });
    const left = rig(() => Promise.reject(new Error('aborted')));
    left.transcription.close();
    await expect(left.transcription.end()).rejects.toThrow('aborted');
    expect(countedIn(left.figures, 'speech_recognition_total')).toEqual({ 'whisper aborted': 1 });
  });
});
