import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { fault } from '../../src/base/core/fault.ts';
import type { ListenOptions } from '../../src/base/core/leg.ts';
import {
  type RecognizerConfig,
  recognizedText,
  type Transcriber,
} from '../../src/media/speech/recognition/transcriber.ts';
import { createRecognizers, routeByLanguage } from '../../src/media/speech/recognizers.ts';
import type { RecognitionEvent, RecognitionRequest } from '../../src/media/telephony/recognition.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { type RecognizerUnderTest, recognizerContract } from '../contracts/speech/recognizer.ts';
import { joined, quiet, voice } from './recognition-sounds.ts';

interface Asked {
  url: URL;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

const PHRASE = 'customer support';
const KEY = 'key-that-nobody-sees';
const word = joined(quiet(0.4), voice(0.6), quiet(0.2));

let server: Server;
let address: string;
let asked: Asked[];
let answer: (response: ServerResponse) => void;

const json =
  (body: object, status = 200) =>
  (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    asked.push({ url: new URL(request.url!, address), headers: request.headers, body: Buffer.concat(parts) });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked = [];
  answer = json({ text: `${PHRASE}.`, confidence: 0.9 });
});

function make(engine: 'http' | 'openai', more: Partial<RecognizerConfig> = {}, clock = systemClock) {
  const entry: RecognizerConfig = { engine, url: `${address}/${engine}`, key: KEY, languages: ['en'], ...more };
  return createRecognizers({ entries: [entry], dataDirectory: '/nonexistent', clock });
}

async function hear(
  recognizer: ReturnType<typeof make>,
  more: Partial<RecognitionRequest> = {},
): Promise<Extract<RecognitionEvent, { type: 'ended' }>> {
  const options: RecognitionRequest = {
    ...{ language: 'en-US', hints: [], minConfidence: 0, endSilenceMs: 500, maxLengthMs: 10_000 },
    ...more,
  };
  const ended = await new Promise<Extract<RecognitionEvent, { type: 'ended' }>>((resolve) => {
    const session = recognizer.open(options, (event) => {
      if (event.type === 'ended') resolve(event);
    });
    session.write(word);
    session.finish();
  });
  return ended;
}

describe.each(['http', 'openai'] as const)('an engine elsewhere, %s, keeps the contract of recognisers', (engine) => {
  for (const { name, run } of recognizerContract) {
    it(name, () =>
      run((): RecognizerUnderTest => {
        return { recognizer: make(engine), language: 'en-US', sound: word, phrase: PHRASE };
      }),
    );
  }
});

describe('request to a recognition server', () => {
  it('contains over http the utterance as WAV, and the expected phrases in the URL', async () => {
    const end = await hear(make('http'), { hints: ['Customer Support', 'Sales & more'], grammar: 'digits' });
    expect(end).toEqual({ type: 'ended', reason: 'recognized', text: 'Customer Support', confidence: 0.9 });
    const [{ url, headers, body }] = asked as [Asked];
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ language: 'en-US', grammar: 'digits' });
    expect(url.searchParams.getAll('hint')).toEqual(['Customer Support', 'Sales & more']);
    expect(headers).toMatchObject({ 'content-type': 'audio/wav', authorization: `Bearer ${KEY}` });
    expect(body.toString('latin1', 0, 4)).toBe('RIFF');
    expect(body.readUInt32LE(24)).toBe(8000);
    const seconds = (body.length - 44) / 16_000;
    expect(seconds).toBeGreaterThan(0.6);
    expect(seconds).toBeLessThan(1.6);
  });

  it('is a form for the openai protocol', async () => {
    answer = json({ text: 'Four two.' });
    const end = await hear(make('openai', { model: 'tiny' }), { grammar: 'digits', hints: ['operator'] });
    expect(end).toMatchObject({ reason: 'recognized', text: '42', confidence: 1 });
    const [{ headers, body }] = asked as [Asked];
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': headers['content-type']! },
    }).formData();
    expect(form.get('model')).toBe('tiny');
    expect(form.get('language')).toBe('en');
    expect(form.get('prompt')).toBe('operator');
    expect((form.get('file') as File).size).toBeGreaterThan(9000);
    expect(headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('stays short, however many hints there are', async () => {
    await hear(make('http'), { hints: Array.from({ length: 5000 }, (_, index) => `phrase number ${index}`) });
    expect(asked[0]!.url.href.length).toBeLessThan(8000);
  });
});

describe('recognition for several projects', () => {
  it('takes turns within the limit of concurrent requests', async () => {
    const answers: ServerResponse[] = [];
    const served: string[] = [];
    answer = (response) => answers.push(response);
    const recognizer = make('http', { maxRequests: 1 });
    const say = async (name: string, projectId: string): Promise<void> => {
      await hear(recognizer, { hints: [name], projectId });
      served.push(name);
    };
    const all = [say('one', 'flood'), say('two', 'flood'), say('three', 'flood'), say('short', 'other')];
    for (let count = 1; count <= all.length; count++) {
      await expect.poll(() => answers.length).toBe(count);
      json({ text: 'yes' })(answers.at(-1)!);
    }
    await Promise.all(all);
    expect(served).toEqual(['one', 'short', 'two', 'three']);
  });
});

describe('failure of a recognition server', () => {
  it.each<[string, (response: ServerResponse) => void, boolean]>([
    ['500', json({ error: 'said: customer support' }, 500), true],
    ['429', json({}, 429), true],
    ['401', json({}, 401), false],
    ['a redirection', (response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(), true],
    ['no JSON', (response) => response.end('<html>customer support</html>'), false],
    ['no text', json({ words: [] }), false],
    ['a text that is none', json({ text: 7 }), false],
    ['an answer without an end', (response) => response.end(`{"text": "${'a'.repeat(200_000)}"}`), false],
    ['a hung up line', (response) => response.destroy(), true],
  ])('fails the listening after %s, and reveals neither the key nor the words', async (_name, wrong, retryable) => {
    answer = wrong;
    const end = await hear(make('http'));
    expect(end).toMatchObject({ reason: 'failed', fault: { code: 'recognition_failed', retryable } });
    expect(JSON.stringify(end)).not.toMatch(/customer|key-that|aaaa/);
  });

  it('is reported after the timeout of an answer', async () => {
    const clock = new VirtualClock();
    answer = () => clock.advance(3000);
    const end = await hear(make('http', { timeoutMs: 2000 }, clock));
    expect(end).toMatchObject({ reason: 'failed', fault: { code: 'recognition_failed', retryable: true } });
  });

  it.each([[-1], [7], ['high'], [null]])('clamps a confidence of %j to its range', async (confidence) => {
    answer = json({ text: PHRASE, confidence });
    const end = await hear(make('http'));
    expect(end.confidence ?? 0).toBeGreaterThanOrEqual(0);
    expect(end.confidence ?? 0).toBeLessThanOrEqual(1);
  });

  it('is reported above the limit of concurrent listenings', async () => {
    const recognizer = make('http', { maxSessions: 1 });
    const options: ListenOptions = {
      ...{ language: 'en', hints: [], minConfidence: 0, endSilenceMs: 500, maxLengthMs: 10_000 },
    };
    const first = recognizer.open(options, () => undefined);
    expect(recognizer.refusal(options)).toMatchObject({ code: 'recognizer_busy', retryable: true });
    expect(await hear(recognizer)).toMatchObject({ reason: 'failed', fault: { code: 'recognizer_busy' } });
    first.abort();
    expect(await hear(recognizer)).toMatchObject({ reason: 'recognized' });
  });
});

describe('the choice of an engine', () => {
  const engine = (name: string, languages: string[], broken?: string): Transcriber => ({
    name,
    languages,
    refusal: () => (broken === undefined ? undefined : fault('no_recognizer', broken)),
    open: () => ({
      write: () => undefined,
      end: () => Promise.resolve(recognizedText(name, 1)),
      close: () => undefined,
    }),
    stop: async () => undefined,
  });
  const chosen = async (language: string, ...engines: Transcriber[]): Promise<string | undefined> => {
    const end = await hear(routeByLanguage(engines), { language });
    return end.text ?? end.fault?.message;
  };

  it('prefers the first that knows the language', async () => {
    const engines = [engine('german', ['de']), engine('english', ['en']), engine('any', ['*'])];
    expect(await chosen('de-AT', ...engines)).toBe('german');
    expect(await chosen('en-GB', ...engines)).toBe('english');
    expect(await chosen('EN', ...engines)).toBe('english');
    expect(await chosen('nl', ...engines)).toBe('any');
    expect(await chosen('en', engine('american', ['en-US']))).toBe('american');
    expect(await chosen('en-GB', engine('american', ['en-US']))).toMatch(/nothing recognises en-GB, only en-US/);
  });

  it('continues with the next if one is unavailable, and says why if all are', async () => {
    const missing = engine('missing', ['en'], 'no model');
    expect(await chosen('en-US', missing, engine('other', ['en']))).toBe('other');
    expect(await chosen('en-US', missing)).toBe('no model');
    expect(routeByLanguage([missing]).engines).toEqual([
      { engine: 'missing', languages: ['en'], missing: fault('no_recognizer', 'no model') },
    ]);
  });

  it('is the built-in one without a configuration, which names missing parts', () => {
    const recognizers = createRecognizers({ entries: [], dataDirectory: '/nonexistent', clock: systemClock });
    expect(recognizers.engines).toMatchObject([
      {
        engine: 'vosk',
        languages: ['en'],
        missing: { code: 'no_recognizer', message: expect.stringContaining('callweave models install') },
      },
    ]);
  });
});
