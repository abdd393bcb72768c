import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/core/clock.ts';
import { createExternalTts } from '../../src/media/speech/external/external-tts.ts';
import type { ExternalTtsOptions } from '../../src/media/speech/external/external-tts-options.ts';
import type { SpeechRequest } from '../../src/media/speech/synthesizer.ts';
import { AudioError } from '../../src/media/telephony/audio.ts';
import { synthesizerContract } from '../contracts/speech/synthesizer.ts';
import { type FakeTts, startFakeTts } from './engines.ts';

let server: FakeTts;
beforeAll(async () => {
  server = await startFakeTts();
});
afterEach(() => {
  delete server.answer;
  server.requests.length = 0;
});
afterAll(() => server.close());

const KEY = 'sk-very-secret';
const optionsOf = (more: Partial<ExternalTtsOptions> = {}): ExternalTtsOptions => ({
  engine: 'http',
  name: 'elsewhere',
  url: server.url,
  headers: {},
  voices: { female: 'ann', male: 'bob' },
  languages: ['en-US', 'pt-BR'],
  input: 'text',
  format: 'wav',
  sampleRateHz: 16_000,
  styles: [],
  timeoutMs: 10_000,
  maxRequests: 32,
  ...more,
});
const OPENAI = { engine: 'openai', format: 'pcm', sampleRateHz: 24_000 } as const;
const never = new AbortController().signal;
const speak = async (
  more: Partial<ExternalTtsOptions> = {},
  request: Partial<SpeechRequest> = {},
  signal = never,
  clock?: Clock,
) => {
  const engine = createExternalTts(optionsOf(more), clock);
  const chunks: Int16Array[] = [];
  const wanted = { text: 'Hello there.', language: 'en-US', voice: 'female', rate: 1, pitch: 1, ...request } as const;
  for await (const chunk of engine.synthesize(wanted, signal)) chunks.push(chunk);
  return chunks;
};

describe.each<[string, Partial<ExternalTtsOptions>]>([
  ['http, WAV', {}],
  ['http, PCM', { format: 'pcm', sampleRateHz: 8000 }],
  ['http, µ-law', { format: 'ulaw' }],
  ['openai, PCM', OPENAI],
  ['openai, WAV', { ...OPENAI, format: 'wav' }],
])('fulfils the contract of synthesizers: %s', (_name, more) => {
  for (const { name, run } of synthesizerContract) it(name, () => run(() => createExternalTts(optionsOf(more))));
});

describe('external TTS: request', () => {
  it('contains over HTTP all known values, in the words of the configuration', async () => {
    await speak(
      { key: KEY, headers: { 'x-tenant': 'abc' }, styles: ['cheerful'] },
      { text: 'One. Two.', language: 'pt-BR', voice: 'male', rate: 1.5, pitch: 0.8, style: 'cheerful' },
    );
    expect(server.requests.map(({ body }) => body)).toEqual([
      {
        text: 'One.',
        voice: 'bob',
        language: 'pt-BR',
        rate: 1.5,
        pitch: 0.8,
        style: 'cheerful',
        format: 'wav',
        sample_rate: 16_000,
      },
      expect.objectContaining({ text: 'Two.' }),
    ]);
    expect(server.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-tenant': 'abc' });
  });

  it('contains a voice that is requested by name', async () => {
    await speak({ voices: { female: 'ann', Joanna: 'en-US-Joanna' } }, { voiceName: 'en-US-Joanna' });
    await speak({ ...OPENAI, voices: { female: 'nova' } }, { voiceName: 'sage' });
    expect(server.requests.map(({ body }) => body['voice'])).toEqual(['en-US-Joanna', 'sage']);
    const { capabilities } = createExternalTts(optionsOf({ voices: { female: 'ann', Joanna: 'en-US-Joanna' } }));
    expect(capabilities.voices.map(({ voice }) => voice)).toEqual(['female', 'female']);
    expect(capabilities.named).toEqual([
      { name: 'Joanna', own: 'en-US-Joanna' },
      { name: 'ann', own: 'ann' },
      { name: 'en-US-Joanna', own: 'en-US-Joanna' },
    ]);
  });

  it('uses a configured Authorization header in place of the key', async () => {
    await speak({ key: KEY, headers: { authorization: 'Basic abc' } });
    expect(server.requests[0]?.headers.authorization).toBe('Basic abc');
  });

  it('contains the whole SSML document if the engine accepts SSML', async () => {
    const ssml = '<speak>Hello <break/>there.</speak>';
    await speak({ input: 'ssml' }, { ssml });
    await speak({ input: 'text' }, { ssml });
    expect(server.requests.map(({ body }) => [body['ssml'], body['text']])).toEqual([
      [ssml, undefined],
      [undefined, 'Hello there.'],
    ]);
  });

  it('follows the schema of OpenAI', async () => {
    await speak({ ...OPENAI, key: KEY, model: 'tts-1', styles: ['gentle'] }, { rate: 1.2, style: 'gentle' });
    expect(server.requests[0]?.body).toEqual({
      model: 'tts-1',
      input: 'Hello there.',
      voice: 'ann',
      response_format: 'pcm',
      speed: 1.2,
      instructions: 'Speak in a gentle manner.',
    });
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('results in the same duration for each audio format', async () => {
    const lengths: number[] = [];
    for (const more of [{}, { format: 'ulaw' }, { format: 'pcm' }, OPENAI] as const) {
      const [sound] = await speak(more);
      lengths.push(sound!.length);
    }
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(20);
  });

  it('changes the cache version when the audio would differ', () => {
    const url = 'http://one.example:8000/speak?voice=ann';
    const versions = [
      ...[{}, { model: 'x' }, { voices: { female: 'eve' } }, { url: 'http://one.example:8000/other' }],
      ...[{ url: 'http://one.example:8000/speak?voice=bob' }, { engine: 'openai' as const }],
    ].map((more) => createExternalTts(optionsOf({ url, ...more })).version);
    expect(new Set(versions).size).toBe(6);
    expect(createExternalTts(optionsOf({ url, key: 'other' })).version).toBe(versions[0]);
  });

  it('keeps the cache version when the engine moves to another host, port or protocol', () => {
    const versions = ['http://one.example:8000/speak', 'https://two.example/speak', 'http://10.0.0.5/speak'].map(
      (url) => createExternalTts(optionsOf({ url })).version,
    );
    expect(new Set(versions).size).toBe(1);
  });

  it('takes a sentence of each project in turn, within the limit of concurrent requests', async () => {
    const engine = createExternalTts(optionsOf({ maxRequests: 1 }));
    const say = async (text: string, projectId: string): Promise<void> => {
      const request = { text, language: 'en-US', voice: 'female', rate: 1, pitch: 1, projectId } as const;
      for await (const _ of engine.synthesize(request, never));
    };
    const flood = ['One.', 'Two.', 'Three.', 'Four.'].map((text) => say(text, 'flood'));
    await Promise.all([...flood, say('Short.', 'other')]);
    expect(server.requests.map(({ body }) => body['text'])).toEqual(['One.', 'Short.', 'Two.', 'Three.', 'Four.']);
  });

  it('leaves the queue when its listener has left, and when the engine is stopped', async () => {
    server.answer = 'hang';
    const engine = createExternalTts(optionsOf({ maxRequests: 1 }));
    const say = (text: string, signal: AbortSignal): Promise<unknown> =>
      engine
        .synthesize({ text, language: 'en-US', voice: 'female', rate: 1, pitch: 1 }, signal)
        [Symbol.asyncIterator]()
        .next()
        .catch((error: unknown) => error);
    const left = new AbortController();
    const [hanging, leaving, waiting] = [say('One.', never), say('Two.', left.signal), say('Three.', never)];
    left.abort(new Error('left'));
    expect(await leaving).toMatchObject({ message: 'left' });
    await engine.stop();
    expect(await Promise.all([hanging, waiting])).toEqual([expect.any(AudioError), expect.any(AudioError)]);
    expect(server.requests.length).toBeLessThan(2);
  });
});

describe('external TTS: failures', () => {
  const problemOf = async (more: Partial<ExternalTtsOptions> = {}, clock?: Clock): Promise<string> => {
    const error = await speak({ key: KEY, ...more }, { text: 'my number is 4711' }, never, clock).catch(
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(AudioError);
    const { fault } = error as AudioError;
    expect(fault).toMatchObject({ code: 'synthesis_failed', retryable: true });
    expect(JSON.stringify(fault)).not.toMatch(/4711|very-secret|127\.0\.0\.1/);
    return fault.message;
  };

  it.each<[FakeTts['answer'], RegExp]>([
    [{ status: 500, body: 'my number is 4711' }, /answered 500/],
    [{ status: 401 }, /answered 401/],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, /cannot be reached/],
    [{ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }, /text, not sound/],
    [{ status: 200, headers: { 'content-type': 'audio/wav' }, body: 'RIFFxxxxWAVE' }, /no format chunk|header/],
    [{ status: 200, headers: { 'content-type': 'audio/mpeg' }, body: 'ID3' }, /something else than WAV/],
    ['drop', /cannot be reached/],
    ['endless', /more than 8388608 bytes/],
  ])('rejects after %j, without key, text or address in the fault', async (answer, message) => {
    server.answer = answer!;
    expect(await problemOf()).toMatch(message);
  });

  it('rejects if no server answers', async () => {
    expect(await problemOf({ url: 'http://127.0.0.1:1/' })).toMatch(/cannot be reached/);
  });

  it('rejects if the engine is late', async () => {
    server.answer = 'hang';
    let fire: (() => void) | undefined;
    const clock: Clock = {
      now: () => 0,
      monotonicMs: () => 0,
      after(delayMs, run) {
        expect(delayMs).toBe(10_000);
        fire = run;
        return { cancel: () => {} };
      },
    };
    const problem = problemOf({}, clock);
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    fire?.();
    expect(await problem).toMatch(/no answer in 10000 ms/);
  });

  it('rejects with the abort reason while the engine hangs', async () => {
    server.answer = 'hang';
    const leaver = new AbortController();
    const heard = speak({}, {}, leaver.signal);
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    leaver.abort(new Error('barge-in'));
    await expect(heard).rejects.toThrow('barge-in');
  });
});
