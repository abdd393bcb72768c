import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AudioItem } from '../../src/base/core/leg.ts';
import { createLog } from '../../src/base/core/log.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { type AudioLibraryOptions, createAudioLibrary } from '../../src/media/speech/audio-library.ts';
import { AudioError } from '../../src/media/telephony/audio.ts';
import { fakeSynthesizer } from './fake-synthesizer.ts';

let directory: string;
let cacheDirectory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'streamed-sound-'));
  cacheDirectory = join(directory, 'cache');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const never = new AbortController().signal;
const say = (text: string, more: object = {}): AudioItem => ({
  type: 'speech',
  text,
  language: 'en-US',
  voice: 'female',
  ...more,
});
const ssml = (inside: string, more: object = {}): AudioItem => ({
  type: 'ssml',
  ssml: `<speak>${inside}</speak>`,
  language: 'en-US',
  voice: 'female',
  ...more,
});
const letters = (text: string, gain = 1) => Array.from(text, (letter) => Math.round(letter.charCodeAt(0) * gain));
const quiet = (ms: number) => Array(ms * 8).fill(0) as number[];
const libraryOf = (options: Partial<AudioLibraryOptions> = {}) =>
  createAudioLibrary({ synthesizers: [fakeSynthesizer()], log: silentLog, cacheDirectory, ...options });
const collect = async (pieces: AsyncIterable<Int16Array>): Promise<number[][]> => {
  const heard: number[][] = [];
  for await (const piece of pieces) heard.push([...piece]);
  return heard;
};
const macrotask = () => new Promise((resolve) => setImmediate(resolve));

describe('streamed speech in chunks', () => {
  it('plays sentence by sentence, before the rest is made', async () => {
    const voice = fakeSynthesizer({ held: true, heldAfter: 1 });
    const pieces = libraryOf({ synthesizers: [voice] })
      .stream(say('one|two'), never)
      [Symbol.asyncIterator]();
    expect((await pieces.next()).value).toEqual(Int16Array.from(letters('one')));
    voice.release();
    expect((await pieces.next()).value).toEqual(Int16Array.from(letters('two')));
    expect((await pieces.next()).done).toBe(true);
  });

  it('is made once for listeners from the start, later ones and requests for the whole', async () => {
    const voice = fakeSynthesizer({ held: true, heldAfter: 1 });
    const library = libraryOf({ synthesizers: [voice] });
    const early = library.stream(say('one|two'), never)[Symbol.asyncIterator]();
    await early.next();
    const late = collect(library.stream(say('one|two'), never));
    const whole = library.load(say('one|two'), never);
    while (voice.requests.length === 0) await macrotask();
    voice.release();
    expect(await late).toEqual([letters('one'), letters('two')]);
    expect([...(await whole)]).toEqual(letters('onetwo'));
    expect(voice.requests).toHaveLength(1);
  });

  it('is returned whole when it is cached', async () => {
    const library = libraryOf();
    await library.load(say('one|two'), never);
    expect(await collect(library.stream(say('one|two'), never))).toEqual([letters('onetwo')]);
    expect(await collect(libraryOf().stream(say('one|two'), never))).toEqual([letters('onetwo')]);
  });

  it('ends early and without an error when cancelled, with its synthesis', async () => {
    const voice = fakeSynthesizer({ held: true, heldAfter: 1 });
    const leaver = new AbortController();
    const heard = collect(libraryOf({ synthesizers: [voice] }).stream(say('one|two'), leaver.signal));
    while (voice.requests.length === 0) await macrotask();
    leaver.abort(new Error('barge-in'));
    expect((await heard).length).toBeLessThan(2);
    while (voice.aborted === 0) await macrotask();
    expect(existsSync(cacheDirectory)).toBe(false);
  });

  it('ends its synthesis when the listener stops reading', async () => {
    const voice = fakeSynthesizer({ held: true, heldAfter: 1 });
    for await (const _ of libraryOf({ synthesizers: [voice] }).stream(say('one|two'), never)) break;
    while (voice.aborted === 0) await macrotask();
  });

  it('reports the fault of its synthesis', async () => {
    const voice = fakeSynthesizer();
    voice.breakWith(new Error('broken'));
    const library = libraryOf({ synthesizers: [voice] });
    await expect(collect(library.stream(say('one'), never))).rejects.toMatchObject({
      fault: { code: 'synthesis_failed' },
    });
    await expect(collect(library.stream(say('x', { language: 'tlh' }), never))).rejects.toMatchObject({
      fault: { code: 'language_not_supported' },
    });
  });
});

describe('SSML documents in synthesis', () => {
  it('contains texts, pauses and loudness', async () => {
    const library = libraryOf();
    const item = ssml('a<break time="2ms"/><prosody volume="50%">bb</prosody>');
    expect([...(await library.load(item, never))]).toEqual([...letters('a'), ...quiet(2), ...letters('bb', 0.5)]);
    expect((await collect(library.stream(item, never))).flat()).toHaveLength(19);
  });

  it('requests speed, pitch, voice and language of each part', async () => {
    const voice = fakeSynthesizer();
    const german = fakeSynthesizer({ name: 'german', voices: [{ language: 'de-DE', voice: 'female' }] });
    const inside =
      'a<prosody rate="fast" pitch="high">b</prosody><voice gender="male">c</voice><lang xml:lang="de">d</lang>';
    await libraryOf({ synthesizers: [voice, german] }).load(ssml(inside), never);
    expect(voice.requests).toMatchObject([
      { text: 'a', rate: 1, pitch: 1, voice: 'female' },
      { text: 'b', rate: 1.3, pitch: 1.13 },
      { text: 'c', voice: 'male' },
    ]);
    expect(german.requests).toMatchObject([{ text: 'd', language: 'de-DE' }]);
  });

  it('caches their texts one by one, and shares them between documents', async () => {
    const voice = fakeSynthesizer();
    const library = libraryOf({ synthesizers: [voice] });
    await library.load(ssml('a<break/>b'), never);
    await library.load(ssml('b<break/>a'), never);
    await library.load(say('a'), never);
    expect(voice.requests.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(await library.load(ssml('a<break/>b'), never)).toBe(await library.load(ssml('a<break/>b'), never));
  });

  it('express styles by speed and pitch, or leave them to an engine that supports them', async () => {
    const plain = fakeSynthesizer();
    const inside = '<mstts:express-as style="gentle">a</mstts:express-as>';
    await libraryOf({ synthesizers: [plain] }).load(ssml(inside), never);
    expect(plain.requests).toMatchObject([{ rate: 0.9, pitch: 0.96 }]);
    expect(plain.requests[0]).not.toHaveProperty('style');
    const actor = fakeSynthesizer({ name: 'actor', styles: ['gentle'] });
    await libraryOf({ synthesizers: [plain, actor] }).load(ssml(inside), never);
    expect(actor.requests).toMatchObject([{ rate: 1, pitch: 1, style: 'gentle' }]);
  });

  it('are sent whole to an engine that accepts them, and in parts to the next when it fails', async () => {
    const reader = fakeSynthesizer({ name: 'reader', ssml: true });
    const plain = fakeSynthesizer();
    const item = ssml('a<break time="1ms"/>b');
    const whole = await libraryOf({ synthesizers: [reader, plain] }).load(item, never);
    expect(reader.requests).toMatchObject([{ ssml: '<speak>a<break time="1ms"/>b</speak>', text: 'a  b' }]);
    expect(whole).toHaveLength(4);
    reader.breakWith(new Error('down'));
    const library = createAudioLibrary({ synthesizers: [reader, plain], log: silentLog });
    expect([...(await library.load(item, never))]).toEqual([...letters('a'), ...quiet(1), ...letters('b')]);
    expect(plain.requests.map(({ text }) => text)).toEqual(['a', 'b']);
  });

  it('are refused with location and reason, before any synthesis', async () => {
    const library = libraryOf();
    for (const [inside, code] of [
      ['<audio src="/etc/passwd"/>', 'ssml_invalid'],
      ['<lang xml:lang="tlh">a</lang>', 'language_not_supported'],
      ['a '.repeat(3000), 'text_too_long'],
    ] as const) {
      expect(library.refusal(ssml(inside))).toMatchObject({ code });
      await expect(library.load(ssml(inside), never)).rejects.toBeInstanceOf(AudioError);
      expect(library.durationMs(ssml(inside))).toBe(0);
    }
    expect(library.refusal(ssml('<b/>'))?.message).toMatch(/no element <b> \(line 1, column 8\)/);
    expect(library.refusal(ssml('a'))).toBeUndefined();
  });

  it('lasts as long as the pauses and the known or estimated duration of the texts', async () => {
    const library = libraryOf();
    await library.load(say('x'.repeat(800)), never);
    expect(library.durationMs(ssml(`${'x'.repeat(800)}<break time="250ms"/>`))).toBe(350);
    expect(library.durationMs(ssml('fourteen chars'))).toBeGreaterThan(900);
  });

  it('are silent without any text', async () => {
    expect(await libraryOf().load(ssml(''), never)).toHaveLength(0);
  });
});

describe('sensitive text', () => {
  it.each([say('my PIN is 4711', { private: true }), ssml('my PIN is<break time="1ms"/>4711', { private: true })])(
    'is stored in no cache: $type',
    async (item) => {
      const voice = fakeSynthesizer();
      const library = libraryOf({ synthesizers: [voice] });
      const first = await library.load(item, never);
      expect(first.length).toBeGreaterThan(10);
      const made = voice.requests.length;
      expect(await library.load(item, never)).toEqual(first);
      expect(voice.requests).toHaveLength(2 * made);
      expect(existsSync(cacheDirectory)).toBe(false);
    },
  );

  it('does not prevent caching of the same text for others', async () => {
    const voice = fakeSynthesizer({ held: true });
    const library = libraryOf({ synthesizers: [voice] });
    const both = [library.load(say('hello', { private: true }), never), library.load(say('hello'), never)];
    while (voice.requests.length < 2) await macrotask();
    voice.release();
    await Promise.all(both);
    expect(readdirSync(cacheDirectory)).toHaveLength(1);
  });
});

describe('failover of speech engines', () => {
  const english = [{ language: 'en-US', voice: 'female' } as const];

  it('uses the next one, and prefers it for a while', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'warn', stream: { write: (line) => lines.push(line) } });
    const first = fakeSynthesizer({ name: 'first', voices: english });
    const second = fakeSynthesizer({ name: 'second', voices: english });
    const library = libraryOf({ synthesizers: [first, second], log });
    first.breakWith(new Error('down'));
    expect([...(await library.load(say('my number is 4711'), never))]).toEqual(letters('my number is 4711'));
    await library.load(say('again'), never);
    expect([first.requests.length, second.requests.length]).toEqual([1, 2]);
    expect(lines.join()).toContain('speech.engine_failed');
    expect(lines.join()).not.toContain('4711');
  });

  it('repeats no beginning of a text', async () => {
    const half = fakeSynthesizer({ name: 'half', voices: english });
    const broken = {
      ...half,
      async *synthesize() {
        yield Int16Array.of(1);
        throw new Error('half way');
      },
    };
    const second = fakeSynthesizer({ name: 'second', voices: english });
    const library = libraryOf({ synthesizers: [broken, second] });
    await expect(library.load(say('one'), never)).rejects.toMatchObject({ fault: { code: 'synthesis_failed' } });
    expect(second.requests).toHaveLength(0);
  });

  it('caches the audio under the name of the engine that made it', async () => {
    const first = fakeSynthesizer({ name: 'first', voices: english });
    const second = fakeSynthesizer({ name: 'second', voices: english });
    first.breakWith(new Error('down'));
    await libraryOf({ synthesizers: [first, second] }).load(say('one'), never);
    const later = fakeSynthesizer({ name: 'first', voices: english });
    await libraryOf({ synthesizers: [later, second] }).load(say('one'), never);
    expect(later.requests).toHaveLength(1);
  });
});

describe('approximated requests', () => {
  it('is reported with its reason', () => {
    const german = fakeSynthesizer({ name: 'german', voices: [{ language: 'de-DE', voice: 'female' }] });
    const library = libraryOf({ synthesizers: [fakeSynthesizer(), german] });
    expect(library.substitution(say('a'))).toBeUndefined();
    expect(library.substitution(say('a', { language: 'de-DE', voice: 'male' }))).toBe(
      'no male voice speaks de-DE: a female one is heard',
    );
    expect(library.substitution(ssml('a', { language: 'en-GB' }))).toBe('no voice speaks en-GB: en-US is heard');
    expect(library.substitution({ type: 'silence', durationMs: 1 })).toBeUndefined();
  });
});
