/** Fair scheduling of built-in speech between projects: one thread makes all of it, one sentence at a time. */
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AudioItem } from '../../src/base/core/leg.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { createAudioLibrary } from '../../src/media/speech/audio-library.ts';
import { createEmbeddedVoice, type SentenceThread } from '../../src/media/speech/embedded-voice.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

const never = new AbortController().signal;
const SENTENCE_MS = 1000;
const say = (text: string): AudioItem => ({ type: 'speech', text, language: 'en-US', voice: 'female' });
const sentences = (name: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${name} says number ${index}.`).join(' ');

/** A voice whose thread needs a second for each sentence, and the order of its sentences. */
function slowVoice() {
  const clock = new VirtualClock();
  const spoken: string[] = [];
  const startThread = (): SentenceThread => {
    const events = new EventEmitter();
    return Object.assign(events, {
      postMessage(sentence: string) {
        spoken.push(sentence);
        clock.after(SENTENCE_MS, () => events.emit('message', { pcm: new Int16Array(8) }));
      },
      ref: () => undefined,
      unref: () => undefined,
      terminate: async () => 0,
    }) as unknown as SentenceThread;
  };
  const voice = createEmbeddedVoice<string>({
    name: 'slow',
    packageFile: join(import.meta.dirname, '../../package.json'),
    processing: 1,
    voices: [{ language: 'en-US', voice: 'female' }],
    program: new URL('file:///nowhere.ts'),
    workerData: undefined,
    startThread,
    clock,
    jobOf: (sentence) => sentence.trim(),
  });
  const library = createAudioLibrary({ synthesizers: [voice], log: silentLog, clock });
  const beganMs = clock.monotonicMs();
  /** Time at which it was made, in seconds. */
  const load = async (text: string, projectId?: string): Promise<number> => {
    await library.load(say(text), never, projectId);
    return (clock.monotonicMs() - beganMs) / 1000;
  };
  return { clock, spoken, load, library, voice };
}

describe('scheduling of built-in speech', () => {
  it('makes a short text of another project after the current sentence, however many texts wait', async () => {
    const { clock, load } = slowVoice();
    const flood = Array.from({ length: 12 }, (_, text) => load(sentences(`Flood ${text}`, 3), 'one'));
    await clock.advance(SENTENCE_MS / 2);
    const short = load('Hello.', 'two');
    await clock.advance(60_000);
    expect(await short).toBe(2);
    expect(await Promise.all(flood)).toContain(37);
  });

  it('takes a sentence of each project in turn', async () => {
    const { clock, spoken, load } = slowVoice();
    const all = ['A', 'B', 'C'].map((name) => load(sentences(name, 3), name));
    await clock.advance(60_000);
    await Promise.all(all);
    expect(spoken.map((sentence) => sentence[0])).toEqual([...'ABCABCABC']);
  });

  it('keeps the order of the texts within a project', async () => {
    const { clock, spoken, load } = slowVoice();
    const all = [load('First.', 'one'), load('Second.', 'one'), load('Other.', 'two'), load('Third.', 'one')];
    await clock.advance(60_000);
    await Promise.all(all);
    expect(spoken).toEqual(['First.', 'Other.', 'Second.', 'Third.']);
  });

  it('makes documents and prepared prompts in the turn of their project', async () => {
    const { clock, spoken, load, library } = slowVoice();
    const flood = Array.from({ length: 5 }, (_, text) => load(`Flood ${text}.`, 'one'));
    await clock.settle();
    const ssml = { type: 'ssml', ssml: '<speak>Marked.</speak>', language: 'en-US', voice: 'female' } as const;
    const others = [library.load(ssml, never, 'two'), library.prepare(say('Prepared.'), 'three')];
    await clock.advance(60_000);
    await Promise.all([...flood, ...others]);
    expect(spoken.slice(0, 4)).toEqual(['Flood 0.', 'Marked.', 'Prepared.', 'Flood 1.']);
  });

  it('skips a text whose listener has left', async () => {
    const { clock, spoken, load, library } = slowVoice();
    const leaving = new AbortController();
    const first = load('First.', 'one');
    const left = library.load(say('Left.'), leaving.signal, 'two').catch(() => 'left');
    const last = load('Last.', 'one');
    await clock.advance(SENTENCE_MS / 2);
    leaving.abort();
    await clock.advance(60_000);
    expect(await left).toBe('left');
    await Promise.all([first, last]);
    expect(spoken).toEqual(['First.', 'Last.']);
  });

  it('fails the waiting texts of all projects when it is stopped', async () => {
    const { clock, load, voice } = slowVoice();
    const all = ['one', 'two', 'three'].map((name) => load(`${name}.`, name));
    const settled = Promise.allSettled(all);
    await clock.settle();
    await voice.stop();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});
