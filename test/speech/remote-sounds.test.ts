import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { createHttpClient, type HttpClientRequest, type HttpResult } from '../../src/base/http/http-client.ts';
import { createRemoteSounds } from '../../src/media/speech/remote-sounds.ts';
import { wavBytes } from '../../src/media/speech/wav.ts';
import { AudioError } from '../../src/media/telephony/audio.ts';

const URL_OF_IT = 'https://sounds.example/secret-name.wav?key=4711';
const wav = (sample: number) => Buffer.from(wavBytes(new Int16Array(800).fill(sample), 8000));
const answer = (status: number, body: Buffer, headers: Record<string, string> = {}): HttpResult => ({
  status,
  headers: { 'content-type': 'audio/wav', ...headers },
  body,
});

let directory: string;
let asked: HttpClientRequest[];
let answers: HttpResult[];
let nowMs: number;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'remote-sounds-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  asked = [];
  answers = [];
  nowMs = 1_000_000;
});

const sounds = () =>
  createRemoteSounds({
    directory,
    clock: { ...systemClock, monotonicMs: () => nowMs, after: systemClock.after.bind(systemClock) },
    client: {
      urlProblem: () => undefined,
      async send(request) {
        asked.push(request);
        return answers.shift() ?? { failure: 'connection_refused', code: 'ECONNREFUSED' };
      },
    },
  });
const sampleIn = async (file: Promise<string>) => readFileSync(await file).readInt16LE(44);
const faultOf = async (file: Promise<string>) => {
  const error = await file.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(AudioError);
  return (error as AudioError).fault;
};

describe('audio cache for a URL', () => {
  it('fetches it once for concurrent and later plays, under a name that does not reveal the URL', async () => {
    answers = [answer(200, wav(7))];
    const remote = sounds();
    const files = await Promise.all([remote.fileOf(URL_OF_IT), remote.fileOf(URL_OF_IT)]);
    nowMs += 9_999;
    files.push(await remote.fileOf(URL_OF_IT));
    expect(new Set(files).size).toBe(1);
    expect(asked).toHaveLength(1);
    expect(readdirSync(directory).join(' ')).not.toMatch(/secret|4711/);
  });

  it('revalidates it, also after a restart, and plays the old or the new version', async () => {
    answers = [answer(200, wav(7), { etag: '"v1"', 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT' })];
    await sounds().fileOf(URL_OF_IT);
    answers = [answer(304, Buffer.alloc(0)), answer(200, wav(9), { etag: '"v2"' })];
    const next = sounds();
    expect(await sampleIn(next.fileOf(URL_OF_IT))).toBe(7);
    expect(asked[1]!.headers).toMatchObject({
      'if-none-match': '"v1"',
      'if-modified-since': 'Sun, 06 Nov 1994 08:49:37 GMT',
    });
    nowMs += 10_000;
    expect(await sampleIn(next.fileOf(URL_OF_IT))).toBe(9);
  });

  it('plays the copy while the server does not answer', async () => {
    answers = [answer(200, wav(7)), { failure: 'timeout', code: '' }, answer(503, Buffer.alloc(0))];
    const remote = sounds();
    for (let round = 0; round < 3; round++) {
      expect(await sampleIn(remote.fileOf(URL_OF_IT))).toBe(7);
      nowMs += 20_000;
    }
    expect(asked).toHaveLength(3);
  });

  it.each<[string, HttpResult, string]>([
    ['there is none', answer(404, Buffer.alloc(0)), 'audio_unavailable'],
    ['it is too large', { failure: 'too_large', code: '' }, 'audio_unavailable'],
    ['it takes too long', { failure: 'timeout', code: '' }, 'audio_unavailable'],
    ['it is a page', answer(200, Buffer.from('<html>'), { 'content-type': 'text/html' }), 'audio_unavailable'],
    ['it only says that it is audio', answer(200, Buffer.from('<html>')), 'audio_malformed'],
  ])('reports a fault when %s', async (_when, result, code) => {
    answers = [result];
    expect(await faultOf(sounds().fileOf(URL_OF_IT))).toMatchObject({ code });
    expect(readdirSync(directory)).toEqual([]);
  });

  it('reports a fault when it cannot be written', async () => {
    answers = [answer(200, wav(7))];
    rmSync(directory, { recursive: true });
    writeFileSync(directory, 'a file where the folder should be');
    expect(await faultOf(sounds().fileOf(URL_OF_IT))).toMatchObject({ code: 'audio_unavailable' });
  });

  it('replaces the one that was unused for longest when it is full', async () => {
    for (let index = 0; index < 500; index++) writeFileSync(join(directory, `${index}.wav`), '');
    answers = [answer(200, wav(7))];
    expect(await sampleIn(sounds().fileOf(URL_OF_IT))).toBe(7);
    expect(readdirSync(directory).filter((name) => name.endsWith('.wav'))).toHaveLength(500);
  });

  it('fetches nothing from forbidden addresses', async () => {
    const client = createHttpClient({ clock: systemClock, policy: { privateTargets: 'refused' } });
    onTestFinished(() => client.close());
    const remote = createRemoteSounds({ client, directory, clock: systemClock });
    for (const url of ['http://127.0.0.1:1/a.wav', 'http://169.254.169.254/a.wav', 'http://[::1]/a.wav', 'ftp://a/b'])
      expect(await faultOf(remote.fileOf(url))).toMatchObject({ code: 'audio_unavailable' });
    expect(await faultOf(remote.fileOf('http://localhost:1/a.wav'))).toMatchObject({ code: 'audio_unavailable' });
  });
});
