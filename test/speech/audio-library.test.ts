import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AudioItem } from '../../src/base/core/leg.ts';
import { createLog } from '../../src/base/core/log.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { type AudioLibraryOptions, createAudioLibrary } from '../../src/media/speech/audio-library.ts';
import { createMemoryCache } from '../../src/media/speech/memory-cache.ts';
import { speechKey } from '../../src/media/speech/speech-cache.ts';
import { wavBytes } from '../../src/media/speech/wav.ts';
import { AudioError } from '../../src/media/telephony/audio.ts';
import { fakeSynthesizer } from './fake-synthesizer.ts';
import { amplitudeAt } from './sounds.ts';

let directory: string;
let cacheDirectory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'audio-library-'));
  cacheDirectory = join(directory, 'cache');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const never = new AbortController().signal;
const say = (text: string, more: Partial<Extract<AudioItem, { type: 'speech' }>> = {}): AudioItem => ({
  type: 'speech',
  text,
  language: 'en-US',
  voice: 'female',
  ...more,
});
const samplesOf = (text: string) => Int16Array.from(text.replaceAll('|', ''), (letter) => letter.charCodeAt(0));
const libraryOf = (options: Partial<AudioLibraryOptions> = {}) =>
  createAudioLibrary({ synthesizers: [fakeSynthesizer()], log: silentLog, cacheDirectory, ...options });
const codeOf = async (made: Promise<unknown>): Promise<string> => {
  const error = await made.catch((reason) => reason);
  expect(error).toBeInstanceOf(AudioError);
  return (error as AudioError).fault.code;
};
const macrotask = () => new Promise((resolve) => setImmediate(resolve));

describe('audio from a URL', () => {
  const url = 'https://sounds.example/hello.wav';
  const from = (fileOf: () => Promise<string>) => libraryOf({ remote: { fileOf } });

  it('is played from the current version of its file', async () => {
    const file = join(directory, 'hello.wav');
    const library = from(async () => file);
    for (const sample of [100, 200]) {
      writeFileSync(file, wavBytes(new Int16Array(800 + sample).fill(sample), 8000));
      expect((await library.load({ type: 'remote', url }, never)).at(-1)).toBe(sample);
    }
  });

  it('is replaced by its text if it is unavailable, and is a fault without a text', async () => {
    const library = from(() =>
      Promise.reject(new AudioError({ code: 'audio_unavailable', message: 'gone', retryable: false })),
    );
    const otherwise = say('Hello');
    expect(await library.load({ type: 'remote', url, otherwise }, never)).toEqual(samplesOf('Hello'));
    expect(await codeOf(library.load({ type: 'remote', url }, never))).toBe('audio_unavailable');
    expect(await codeOf(libraryOf().load({ type: 'remote', url }, never))).toBe('audio_unavailable');
  });
});

describe('speech', () => {
  it('joins the sentences of a text', async () => {
    expect(await libraryOf().load(say('one|two'), never)).toEqual(samplesOf('one|two'));
  });

  it('is made once, then comes from memory', async () => {
    const voice = fakeSynthesizer();
    const library = libraryOf({ synthesizers: [voice] });
    const first = await library.load(say('hello'), never);
    expect(await library.load(say('hello', { name: 'greeting' }), never)).toBe(first);
    expect(voice.requests).toHaveLength(1);
  });

  it('is made once for a check of availability and the caller who plays it', async () => {
    const voice = fakeSynthesizer({ heldAfter: 1 });
    const library = libraryOf({ synthesizers: [voice] });
    // One sentence is spoken, the other is waited for.
    expect(await library.prepare(say('one|two'))).toBeUndefined();
    const heard = library.load(say('one|two'), never);
    voice.release();
    expect(await heard).toEqual(samplesOf('one|two'));
    expect(await library.prepare(say('one|two'))).toBeUndefined();
    expect(voice.requests).toHaveLength(1);
  });

  it('is synthesised to its end without listeners, for later ones', async () => {
    const voice = fakeSynthesizer({ heldAfter: 1 });
    const library = libraryOf({ synthesizers: [voice] });
    await library.prepare(say('one|two'));
    voice.release();
    for (let turn = 0; turn < 50; turn++) await macrotask();
    expect(await library.load(say('one|two'), never)).toEqual(samplesOf('one|two'));
    expect([voice.requests.length, voice.aborted]).toEqual([1, 0]);
  });

  it('reports the reason of a failure to each listener', async () => {
    const voice = fakeSynthesizer();
    voice.breakWith(new Error('away'));
    const library = libraryOf({ synthesizers: [voice] });
    expect(await library.prepare(say('hello'))).toMatchObject({ code: 'synthesis_failed' });
    expect(await library.prepare(say('hello', { language: 'xx-XX' }))).toMatchObject({
      code: 'language_not_supported',
    });
    expect(
      await library.prepare({ type: 'ssml', ssml: '<speak>hello</speak>', language: 'en-US', voice: 'female' }),
    ).toMatchObject({
      code: 'synthesis_failed',
    });
    expect(await library.prepare({ type: 'file', file: 'nowhere.wav' })).toBeUndefined();
  });

  it('is made once, then comes from disk after a restart', async () => {
    await libraryOf().load(say('hello'), never);
    const voice = fakeSynthesizer();
    expect(await libraryOf({ synthesizers: [voice] }).load(say('hello'), never)).toEqual(samplesOf('hello'));
    expect(voice.requests).toHaveLength(0);
  });

  it('is made again for every audible difference', async () => {
    const voice = fakeSynthesizer();
    const library = libraryOf({ synthesizers: [voice] });
    const items = [say('a'), say('b'), say('a', { voice: 'male' }), say('a', { rate: 1.2 }), say('a', { pitch: 0.9 })];
    for (const item of [...items, ...items]) await library.load(item, never);
    expect(voice.requests).toHaveLength(items.length);
    const newer = fakeSynthesizer({ version: '2' });
    await libraryOf({ synthesizers: [newer] }).load(say('a'), never);
    expect(newer.requests).toHaveLength(1);
  });

  it('replaces unsupported factors by the nearest supported one', async () => {
    const voice = fakeSynthesizer();
    const library = libraryOf({ synthesizers: [voice] });
    for (const rate of [100, 0.01, Number.NaN, -1]) await library.load(say('a', { rate }), never);
    expect(voice.requests.map(({ rate }) => rate)).toEqual([2, 0.5, 1]);
  });

  it('works without a disk cache', async () => {
    const library = createAudioLibrary({ synthesizers: [fakeSynthesizer()], log: silentLog });
    expect(await library.load(say('hello'), never)).toEqual(samplesOf('hello'));
  });

  it('continues with a warning if the disk fails', async () => {
    writeFileSync(cacheDirectory, 'a file where the directory should be');
    const lines: string[] = [];
    const log = createLog({ level: 'warn', stream: { write: (line) => lines.push(line) } });
    const library = libraryOf({ log });
    expect(await library.load(say('my number is 4711'), never)).toEqual(samplesOf('my number is 4711'));
    expect(lines.join()).toContain('speech.cache_write_failed');
    expect(lines.join()).not.toContain('4711');
  });
});

describe('the cache on disk', () => {
  const entry = () => join(cacheDirectory, readdirSync(cacheDirectory)[0]!);

  it('keeps texts out of file names, and other users out of its files', async () => {
    await libraryOf().load(say('secret 4711'), never);
    const names = readdirSync(cacheDirectory);
    expect(names).toHaveLength(1);
    expect(names[0]).toMatch(/^[0-9a-f]{64}\.wav$/);
    expect(statSync(entry()).mode & 0o077).toBe(0);
    expect(statSync(cacheDirectory).mode & 0o077).toBe(0);
    expect(readFileSync(entry(), 'latin1')).not.toContain('secret');
  });

  it.each<[string, (whole: Buffer) => Buffer]>([
    ['empty', () => Buffer.alloc(0)],
    ['truncated', (whole) => whole.subarray(0, -2)],
    ['longer', (whole) => Buffer.concat([whole, Buffer.alloc(2)])],
    ['garbage', () => Buffer.from('garbage')],
    ['of another rate', () => Buffer.from(wavBytes(Int16Array.of(1, 2, 3), 16_000))],
  ])('replaces an entry that is %s', async (_name, damage) => {
    await libraryOf().load(say('hello'), never);
    const whole = readFileSync(entry());
    writeFileSync(entry(), damage(whole));
    const voice = fakeSynthesizer();
    expect(await libraryOf({ synthesizers: [voice] }).load(say('hello'), never)).toEqual(samplesOf('hello'));
    expect(voice.requests).toHaveLength(1);
    expect(readFileSync(entry())).toEqual(whole);
  });

  it('keeps no files of a failed synthesis', async () => {
    const voice = fakeSynthesizer();
    voice.breakWith(new Error('broken'));
    expect(await codeOf(libraryOf({ synthesizers: [voice] }).load(say('hello'), never))).toBe('synthesis_failed');
    expect(existsSync(cacheDirectory)).toBe(false);
  });

  it('stays below its limit by removing the least recently used entries', async () => {
    // 1044 bytes each: four fit, and a clean-out leaves three.
    const maxDiskBytes = 4200;
    const text = (letter: string) => letter.repeat(500);
    const fileOf = (letter: string) => {
      const request = { text: text(letter), language: 'en-US', voice: 'female' as const, rate: 1, pitch: 1 };
      return join(cacheDirectory, `${speechKey({ name: 'fake', version: '1' }, request)}.wav`);
    };
    const library = libraryOf({ maxDiskBytes });
    for (const [index, letter] of [...'abcd'].entries()) {
      await library.load(say(text(letter)), never);
      utimesSync(fileOf(letter), 1000 + index, 1000 + index);
    }
    // Used again by a later process: now the youngest.
    await libraryOf({ maxDiskBytes }).load(say(text('a')), never);
    await library.load(say(text('e')), never);
    expect([...'abcde'].filter((letter) => existsSync(fileOf(letter))).join('')).toBe('ade');
  });

  it('removes files of a process that died while writing', async () => {
    await libraryOf().load(say('a'), never);
    const abandoned = join(cacheDirectory, 'x.tmp');
    const fresh = join(cacheDirectory, 'y.tmp');
    writeFileSync(abandoned, '');
    writeFileSync(fresh, '');
    utimesSync(abandoned, 1000, 1000);
    await libraryOf().load(say('b'), never);
    expect([existsSync(abandoned), existsSync(fresh)]).toEqual([false, true]);
  });
});

describe('many callers of one prompt', () => {
  it('are served by one synthesis', async () => {
    const voice = fakeSynthesizer({ held: true });
    const library = libraryOf({ synthesizers: [voice] });
    const all = Array.from({ length: 20 }, () => library.load(say('hello'), never));
    while (voice.requests.length === 0) await macrotask();
    voice.release();
    const sounds = await Promise.all(all);
    expect(new Set(sounds).size).toBe(1);
    expect(voice.requests).toHaveLength(1);
  });

  it('keeps the audio when one caller leaves', async () => {
    const voice = fakeSynthesizer({ held: true });
    const library = libraryOf({ synthesizers: [voice] });
    const leaver = new AbortController();
    const left = library.load(say('hello'), leaver.signal);
    const stayed = library.load(say('hello'), never);
    while (voice.requests.length === 0) await macrotask();
    leaver.abort(new Error('barge-in'));
    await expect(left).rejects.toThrow('barge-in');
    voice.release();
    expect(await stayed).toEqual(samplesOf('hello'));
    expect(voice.aborted).toBe(0);
  });

  it('ends the synthesis when all have left, and a later caller starts a new one', async () => {
    const voice = fakeSynthesizer({ held: true });
    const library = libraryOf({ synthesizers: [voice] });
    const leavers = [new AbortController(), new AbortController()];
    const left = leavers.map((leaver) => library.load(say('hello'), leaver.signal).catch((error) => error.message));
    while (voice.requests.length === 0) await macrotask();
    for (const leaver of leavers) leaver.abort(new Error('gone'));
    const late = library.load(say('hello'), never);
    expect(await Promise.all(left)).toEqual(['gone', 'gone']);
    while (voice.requests.length === 1) await macrotask();
    voice.release();
    expect(await late).toEqual(samplesOf('hello'));
    expect(voice.aborted).toBe(1);
  });

  it('are all notified of a failure, and the next one tries again', async () => {
    const voice = fakeSynthesizer();
    const library = libraryOf({ synthesizers: [voice] });
    voice.breakWith(new Error('out of memory'));
    const codes = await Promise.all([1, 2, 3].map(() => codeOf(library.load(say('hello'), never))));
    expect(codes).toEqual(Array(3).fill('synthesis_failed'));
    await codeOf(library.load(say('hello'), never));
    expect(voice.requests).toHaveLength(2);
  });

  it('returns no audio to callers who left before the request', async () => {
    const voice = fakeSynthesizer();
    const library = libraryOf({ synthesizers: [voice] });
    await expect(library.load(say('hello'), AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(voice.requests).toHaveLength(0);
  });
});

describe('a voice by name', () => {
  const polly = fakeSynthesizer({ name: 'Polly', named: [{ name: 'Joanna', own: 'en-US-Joanna' }] });
  it.each([
    [['Joanna'], 'en-US-Joanna', undefined],
    [['Amy', 'polly.joanna'], 'en-US-Joanna', 'no voice Amy speaks en-US: polly.joanna is heard'],
    [['Amy'], undefined, 'no voice Amy speaks en-US: a female one is heard'],
  ])('%j is spoken by %s', async (voices, voiceName, note) => {
    const library = libraryOf({ synthesizers: [polly] });
    const item = say(`hello ${voices}`, { voices });
    await library.load(item, never);
    expect(polly.requests.at(-1)?.voiceName).toBe(voiceName);
    expect(library.substitution(item)).toBe(note);
  });
});

describe('languages', () => {
  const voices = [
    fakeSynthesizer({ name: 'american' }),
    fakeSynthesizer({ name: 'german', voices: [{ language: 'de-DE', voice: 'female' }] }),
  ];
  it.each([
    ['en-US', 'female', 'en-US', false],
    ['EN_us', 'male', 'en-US', false],
    ['en', 'female', 'en-US', false],
    ['en-GB', 'female', 'en-US', true],
    ['de', 'female', 'de-DE', false],
    ['de-AT', 'female', 'de-DE', true],
    ['de-DE', 'male', 'de-DE', false],
  ] as const)('speaks %s %s as %s', async (language, voice, served, warns) => {
    const lines: string[] = [];
    const log = createLog({ level: 'warn', stream: { write: (line) => lines.push(line) } });
    const library = libraryOf({ synthesizers: voices, log });
    await library.load(say('a', { language, voice }), never);
    await library.load(say('b', { language, voice }), never);
    expect(voices.flatMap(({ requests }) => requests.splice(0).map((request) => request.language))).toEqual([
      served,
      served,
    ]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      warns ? [{ message: 'speech.language_substituted', language, served }] : [],
    );
  });

  it.each([
    ['fr-FR', 'female'],
    ['', 'female'],
    ['e', 'female'],
  ] as const)('refuses the language %s with voice %s', async (language, voice) => {
    const library = libraryOf({ synthesizers: voices });
    const item = say('a', { language, voice });
    expect(await codeOf(library.load(item, never))).toBe('language_not_supported');
    expect(library.refusal(item)).toMatchObject({ code: 'language_not_supported', retryable: false });
    expect(library.durationMs(item)).toBe(0);
  });

  it('refuses a text that is too long', async () => {
    const item = say('x'.repeat(5001));
    expect(await codeOf(libraryOf().load(item, never))).toBe('text_too_long');
    expect(libraryOf().refusal(item)?.code).toBe('text_too_long');
    expect(libraryOf().refusal(say('x'.repeat(5000)))).toBeUndefined();
  });
});

describe('files, silence and tones', () => {
  const file = (samples: Int16Array, name = 'prompt.wav') => {
    const path = join(directory, name);
    writeFileSync(path, wavBytes(samples, 8000));
    return path;
  };

  it('keeps a decoded file until it changes', async () => {
    const library = libraryOf();
    const item: AudioItem = { type: 'file', file: file(Int16Array.of(1, 2, 3)) };
    const first = await library.load(item, never);
    expect(await library.load(item, never)).toBe(first);
    file(Int16Array.of(4, 5, 6, 7));
    expect([...(await library.load(item, never))]).toEqual([4, 5, 6, 7]);
  });

  it('reports the duration of each kind of prompt', async () => {
    const library = libraryOf();
    expect(library.durationMs({ type: 'file', file: file(new Int16Array(4000)) })).toBe(500);
    expect(library.durationMs({ type: 'file', file: join(directory, 'missing.wav') })).toBe(0);
    expect(library.durationMs({ type: 'silence', durationMs: 250 })).toBe(250);
    expect(library.durationMs({ type: 'tone', frequencyHz: 1000, durationMs: 300 })).toBe(300);
    const text = 'x'.repeat(28);
    expect(library.durationMs(say(text))).toBe(2300);
    expect(library.durationMs(say(text, { rate: 2 }))).toBe(1300);
    await library.load(say(text), never);
    expect(library.durationMs(say(text))).toBe(3.5);
    expect(libraryOf().durationMs(say(text))).toBe(3.5);
  });

  it('makes silence and tones', async () => {
    const library = libraryOf();
    expect(await library.load({ type: 'silence', durationMs: 100 }, never)).toEqual(new Int16Array(800));
    const beep = await library.load({ type: 'tone', frequencyHz: 440, durationMs: 1000 }, never);
    expect(beep).toHaveLength(8000);
    expect(amplitudeAt(440, beep)).toBeGreaterThan(8000);
    expect(Math.abs(beep[0]!) + Math.abs(beep.at(-1)!)).toBeLessThan(500);
  });

  it('makes a tone of constant level, however long it lasts', async () => {
    const beep = await libraryOf().load({ type: 'tone', frequencyHz: 997.3, durationMs: 60_000 }, never);
    const [first, last] = [beep.subarray(800, 1600), beep.subarray(-1600, -800)];
    expect(amplitudeAt(997.3, last)).toBeCloseTo(amplitudeAt(997.3, first), -2);
  });

  it.each<AudioItem>([
    { type: 'silence', durationMs: -1 },
    { type: 'silence', durationMs: 1e12 },
    { type: 'silence', durationMs: 60_001 },
    { type: 'silence', durationMs: Number.NaN },
    { type: 'tone', frequencyHz: 0, durationMs: 10 },
    { type: 'tone', frequencyHz: 5000, durationMs: 10 },
    { type: 'tone', frequencyHz: 440, durationMs: 1e12 },
  ])('refuses the item %j', async (item) => {
    expect(await codeOf(libraryOf().load(item, never))).toBe('audio_invalid');
  });

  it.each(['missing.wav', 'broken.wav'])('reports what is wrong with %s', async (name) => {
    writeFileSync(join(directory, 'broken.wav'), 'broken');
    const item: AudioItem = { type: 'file', file: join(directory, name) };
    const code = name === 'missing.wav' ? 'audio_not_found' : 'audio_malformed';
    expect(await codeOf(libraryOf().load(item, never))).toBe(code);
    expect(libraryOf().refusal(item)?.code).toBe(code);
  });
});

describe('the cache in memory', () => {
  it('stays below its limit by removing the least recently used entries', () => {
    const cache = createMemoryCache(300);
    for (const key of ['a', 'b', 'c']) cache.set(key, new Int16Array(50));
    cache.get('a');
    cache.peek('b');
    cache.set('d', new Int16Array(50));
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.peek(key))).toEqual(['a', 'c', 'd']);
    cache.set('a', new Int16Array(10));
    expect(cache.bytes).toBe(220);
    cache.set('e', new Int16Array(151));
    expect(cache.peek('e')).toBeUndefined();
    expect(cache.bytes).toBe(220);
    cache.set('f', new Int16Array(150));
    expect(cache.bytes).toBe(300);
    expect(cache.peek('f')).toBeDefined();
  });
});
