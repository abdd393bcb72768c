import { beforeAll, describe, expect, it } from 'vitest';
import { fault } from '../../src/base/core/fault.ts';
import type { ListenOptions } from '../../src/base/core/leg.ts';
import { createListening, type Listening } from '../../src/media/speech/recognition/listening.ts';
import {
  recognizedText,
  type Transcriber,
  type TranscriptionListener,
} from '../../src/media/speech/recognition/transcriber.ts';
import { AudioError } from '../../src/media/telephony/audio.ts';
import type { RecognitionEvent } from '../../src/media/telephony/recognition.ts';
import { background, sentences, speechAt, sum, voicesBehind } from '../media/noises.ts';
import { joined, noise, quiet, sound, tones, voice } from './recognition-sounds.ts';

/** A recogniser whose results and whose time of results the test chooses. */
class Paper implements Pick<Transcriber, 'open'> {
  listener!: TranscriptionListener;
  readonly answers: { resolve(text: string, confidence?: number): void; reject(error: unknown): void }[] = [];
  writtenMs: number[] = [];
  closed = 0;
  #samples = 0;

  open: Transcriber['open'] = (_request, listener) => {
    this.listener = listener;
    return {
      write: (pcm) => {
        this.#samples += pcm.length;
      },
      end: () => {
        this.writtenMs.push(this.#samples / 8);
        this.#samples = 0;
        return new Promise((resolve, reject) => {
          this.answers.push({
            resolve: (text, confidence = 1) => resolve(recognizedText(text, confidence)),
            reject,
          });
        });
      },
      close: () => {
        this.closed++;
      },
    };
  };
}

interface Rig {
  paper: Paper;
  listening: Listening;
  events: RecognitionEvent[];
}

function rig(more: Partial<ListenOptions> = {}): Rig {
  const paper = new Paper();
  const events: RecognitionEvent[] = [];
  const options: ListenOptions = {
    ...{ language: 'en-US', hints: [], minConfidence: 0.3, endSilenceMs: 500, maxLengthMs: 10_000 },
    ...more,
  };
  const listening = createListening(options, paper, (event) => events.push(event));
  return { paper, listening, events };
}

/** Waits until pending promises are settled. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const word = joined(quiet(0.4), voice(0.6), quiet(0.6));

describe('one utterance in a listening', () => {
  it('is reported with its time in samples, and ends the listening', async () => {
    const { paper, listening, events } = rig();
    listening.write(word);
    await settled();
    expect(events).toMatchObject([{ type: 'speech_started' }]);
    paper.answers[0]?.resolve('hello', 0.9);
    await settled();
    expect(events.slice(1)).toEqual([
      { type: 'utterance', text: 'hello', confidence: 0.9, fromMs: expect.any(Number), toMs: expect.any(Number) },
      { type: 'ended', reason: 'recognized', text: 'hello', confidence: 0.9 },
    ]);
    const [started, utterance] = events;
    if (started?.type !== 'speech_started' || utterance?.type !== 'utterance') throw new Error('other events');
    expect(utterance.fromMs).toBe(started.atMs);
    expect(utterance.fromMs).toBeLessThan(400);
    expect(utterance.toMs).toBeGreaterThan(980);
    expect(utterance.toMs).toBeLessThan(1150);
    expect(paper.closed).toBe(1);
  });

  it('is sent with its lead, and without surplus silence', async () => {
    const { paper, listening } = rig({ endSilenceMs: 3000 });
    listening.write(joined(quiet(2), voice(0.6), quiet(3.2)));
    await settled();
    expect(paper.writtenMs[0]).toBeGreaterThan(600 + 300);
    expect(paper.writtenMs[0]).toBeLessThan(600 + 400 + 700);
  });

  it('continues over pauses shorter than the configured silence', async () => {
    const { paper, listening } = rig({ endSilenceMs: 800 });
    listening.write(joined(quiet(0.4), voice(0.4), quiet(0.5), voice(0.4), quiet(0.5)));
    await settled();
    expect(paper.answers).toHaveLength(0);
    listening.write(quiet(0.6));
    expect(paper.answers).toHaveLength(1);
  });

  it('is neither ended nor started by keys and tones', async () => {
    const { paper, listening, events } = rig({ maxLengthMs: 4000 });
    listening.write(joined(quiet(0.3), sound(0.5, tones(770, 1336)), quiet(0.5), sound(1, noise(1500)), quiet(3)));
    await settled();
    expect(paper.answers).toEqual([]);
    expect(events).toEqual([{ type: 'ended', reason: 'no_input' }]);
  });

  it('is no_match with the best guess, if the confidence is too low', async () => {
    const { paper, listening, events } = rig({ minConfidence: 0.5 });
    listening.write(word);
    paper.answers[0]?.resolve('hello', 0.4);
    await settled();
    expect(events.at(-1)).toEqual({ type: 'ended', reason: 'no_match', text: 'hello', confidence: 0.4 });
    expect(events).toHaveLength(2);
  });

  it('is no_match without a guess, if it has no words', async () => {
    const { paper, listening, events } = rig();
    listening.write(word);
    paper.answers[0]?.resolve('');
    await settled();
    expect(events.at(-1)).toEqual({ type: 'ended', reason: 'no_match' });
  });

  it('is the last one: speech during its recognition is ignored', async () => {
    const { paper, listening, events } = rig();
    listening.write(word);
    listening.write(word);
    listening.finish();
    expect(paper.answers).toHaveLength(1);
    paper.answers[0]?.resolve('hello');
    await settled();
    expect(events.map(({ type }) => type)).toEqual(['speech_started', 'utterance', 'ended']);
  });
});

describe('clock of a listening', () => {
  it('counts samples: without any, no timeout ends it', async () => {
    const { listening, events } = rig({ maxLengthMs: 1000 });
    listening.write(quiet(0.98));
    await settled();
    expect(events).toEqual([]);
    listening.write(quiet(0.05));
    await settled();
    expect(events).toEqual([{ type: 'ended', reason: 'no_input' }]);
  });

  it('ends an utterance in the middle', async () => {
    const { paper, listening, events } = rig({ maxLengthMs: 1000 });
    listening.write(joined(quiet(0.4), voice(3)));
    expect(paper.answers).toHaveLength(1);
    paper.answers[0]?.resolve('hello');
    await settled();
    expect(events.at(-1)).toMatchObject({ reason: 'recognized', text: 'hello' });
  });

  it('gives the same result for chunks of any length', async () => {
    const told: RecognitionEvent[][] = [];
    for (const piece of [word.length, 160, 37]) {
      const { paper, listening, events } = rig();
      for (let at = 0; at < word.length; at += piece) listening.write(word.subarray(at, at + piece));
      paper.answers[0]?.resolve('hello');
      await settled();
      told.push(events);
    }
    expect(told[1]).toEqual(told[0]);
    expect(told[2]).toEqual(told[0]);
  });
});

describe('a continuous listening', () => {
  it('reports utterances in their order, however long their recognition takes', async () => {
    const { paper, listening, events } = rig({ continuous: true });
    listening.write(joined(word, word, word));
    expect(paper.answers).toHaveLength(3);
    paper.answers[2]?.resolve('three');
    paper.answers[1]?.resolve('two', 0.1);
    await settled();
    expect(events.filter(({ type }) => type === 'utterance')).toEqual([]);
    paper.answers[0]?.resolve('one');
    listening.finish();
    await settled();
    expect(events.flatMap((event) => (event.type === 'utterance' ? [event.text] : []))).toEqual(['one', 'three']);
    expect(events.at(-1)).toMatchObject({ type: 'ended', reason: 'recognized', text: 'three' });
    expect(events.filter(({ type }) => type === 'speech_started')).toHaveLength(3);
  });

  it('transcribes a speaker without pauses in parts', () => {
    const { paper, listening } = rig({ continuous: true, maxLengthMs: 3_600_000 });
    const word = joined(voice(0.9), quiet(0.1));
    listening.write(quiet(0.4));
    for (let second = 0; second < 125; second++) listening.write(word);
    expect(paper.answers).toHaveLength(2);
  });
});

describe('background of the line', () => {
  let speech: Int16Array[];
  beforeAll(async () => {
    speech = await sentences();
  }, 60_000);
  const types = (events: readonly RecognitionEvent[]): string[] => events.map(({ type }) => type);

  it.each([-45, -38, -30])('is not reported for voices at %i dBov', async (dbov) => {
    const { listening, events } = rig({ maxLengthMs: 20_000 });
    listening.write(voicesBehind(speech, 20, dbov).subarray(16_000));
    await settled();
    expect(types(events).filter((type) => type === 'speech_started')).toEqual([]);
  });

  it('is not reported for music', async () => {
    const line = (at: number): number => {
      const root = [110, 147, 131, 165][Math.floor(at * 2) % 4]!;
      return [1, 2, 3, 4, 5, 6, 7, 8].reduce((all, k) => all + (800 / k) * Math.sin(2 * Math.PI * root * k * at), 0);
    };
    const { listening, events } = rig({ maxLengthMs: 20_000 });
    listening.write(sound(19, line));
    await settled();
    expect(types(events)).toEqual([]);
  });

  it.each(['white', 'car', 'street', 'clicks'] as const)(
    'lets the caller be recognised over %s noise',
    async (kind) => {
      const { paper, listening, events } = rig();
      const words = joined(quiet(2), speechAt(speech[0]!, -26), quiet(4));
      listening.write(sum(words, background(kind, words.length / 8_000, -38)));
      await settled();
      expect(types(events)).toEqual(['speech_started']);
      expect((events[0] as { atMs: number }).atMs).toBeGreaterThan(1_500);
      expect(paper.answers).toHaveLength(1);
    },
  );

  it('lets a caller with voices behind be recognised', async () => {
    const { paper, listening, events } = rig({ maxLengthMs: 30_000 });
    const words = joined(quiet(4), speechAt(speech[0]!, -24), quiet(3));
    listening.write(sum(words, voicesBehind(speech, words.length / 8_000 + 2, -38).subarray(16_000)));
    await settled();
    expect(types(events)).toEqual(['speech_started']);
    expect((events[0] as { atMs: number }).atMs).toBeGreaterThan(3_500);
    expect(paper.answers).toHaveLength(1);
  });

  it('includes a caller who speaks at once, in noise: reported if it contains words', async () => {
    const { paper, listening, events } = rig();
    const words = joined(quiet(0.2), speechAt(speech[0]!, -26));
    const all = joined(words, quiet(2));
    const line = sum(all, background('white', all.length / 8_000, -38));
    listening.write(line.subarray(0, words.length));
    await settled();
    expect(types(events)).toEqual([]);
    paper.listener.partial('I would');
    await settled();
    expect(types(events)).toEqual(['speech_started', 'partial']);
    listening.write(line.subarray(words.length));
    paper.answers[0]?.resolve('hello');
    await settled();
    expect(types(events)).toEqual(['speech_started', 'partial', 'utterance', 'ended']);
  });

  it('includes sound without a recognised word for 8 s', async () => {
    const { paper, listening, events } = rig({ continuous: true, maxLengthMs: 60_000 });
    const talk = joined(...speech, ...speech);
    listening.write(joined(quiet(1.5), talk.subarray(0, 72_000)));
    expect(paper.answers).toHaveLength(0);
    paper.listener.taken?.(63_000);
    expect(paper.answers).toHaveLength(0);
    paper.listener.taken?.(1_000);
    expect(paper.answers).toHaveLength(1);
    paper.answers[0]?.resolve('');
    // It continues, and is not reported again.
    listening.write(talk.subarray(72_000, 100_000));
    await settled();
    expect(types(events)).toEqual(['speech_started']);
  });

  it('does not include a voice with words, however long it lasts', () => {
    const { paper, listening } = rig({ continuous: true, maxLengthMs: 60_000 });
    listening.write(joined(quiet(1.5), joined(...speech, ...speech).subarray(0, 72_000)));
    paper.listener.partial('so it began');
    paper.listener.taken?.(70_000);
    expect(paper.answers).toHaveLength(0);
  });
});

describe('failure of a listening', () => {
  it('is reported once, with its fault', async () => {
    const { paper, listening, events } = rig();
    listening.write(word);
    paper.answers[0]?.reject(new AudioError(fault('recognition_failed', 'gone', { retryable: true })));
    await settled();
    paper.listener.failed(fault('other', 'later'));
    await settled();
    expect(events.slice(1)).toEqual([
      { type: 'ended', reason: 'failed', fault: { code: 'recognition_failed', message: 'gone', retryable: true } },
    ]);
  });

  it('has a name, also if an engine gave none', async () => {
    const { paper, listening, events } = rig();
    listening.write(word);
    paper.answers[0]?.reject(new Error('what was said: secret'));
    await settled();
    expect(events.at(-1)).toMatchObject({ reason: 'failed', fault: { code: 'recognition_failed' } });
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  it('ends it before any speech', async () => {
    const { paper, listening, events } = rig();
    paper.listener.failed(fault('no_recognizer', 'not there'));
    listening.write(word);
    listening.finish();
    await settled();
    expect(events).toEqual([{ type: 'ended', reason: 'failed', fault: fault('no_recognizer', 'not there') }]);
  });

  it('is ignored after it was aborted', async () => {
    const { paper, listening, events } = rig();
    listening.write(word);
    listening.abort();
    paper.answers[0]?.resolve('hello');
    paper.listener.failed(fault('other', 'later'));
    paper.listener.partial('hel');
    listening.write(word);
    await settled();
    expect(events).toEqual([]);
  });
});

it('reports partial results while the caller speaks', async () => {
  const { paper, listening, events } = rig();
  listening.write(joined(quiet(0.4), voice(0.4)));
  paper.listener.partial('hel');
  paper.listener.partial('');
  await settled();
  expect(events.map(({ type }) => type)).toEqual(['speech_started', 'partial']);
});
