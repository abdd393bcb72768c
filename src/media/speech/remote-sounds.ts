/**
 * Audio at URLs, cached as files: fetched when a call plays it, and revalidated with ETag and Last-Modified (RFC 9110
 * §13.1). Uses the guarded HTTP client, with the same permitted targets as webhooks and streams.
 *
 * Invariants
 * - fetched data is converted to WAV in a worker thread (`import-audio.ts`), and no other code parses it; its size,
 * time and type are limited;
 * - the cached copy is played if the server does not respond; file names do not contain the URL;
 * - the number of files is limited; the least recently used are deleted.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/core/clock.ts';
import { fault } from '../../base/core/fault.ts';
import { isObject, parseJson } from '../../base/core/json.ts';
import type { Log } from '../../base/core/log.ts';
import type { HttpClient, HttpResult } from '../../base/http/http-client.ts';
import { AudioError } from '../telephony/audio.ts';
import { importAudio, MAX_UPLOAD_BYTES } from './import-audio.ts';

const TIMEOUT_MS = 10_000;
/** Within this time the server is not asked again. */
const FRESH_MS = 10_000;
const MAX_KEPT = 500;
const TYPES = /^(audio\/|application\/octet-stream\b)/i;

export interface RemoteSounds {
  /** Returns a file with the current audio. Throws an `AudioError` if there is none. */
  fileOf(url: string): Promise<string>;
}

export interface RemoteSoundsOptions {
  client: Pick<HttpClient, 'send' | 'urlProblem'>;
  /** Cache folder, created on first use. */
  directory: string;
  clock: Clock;
  log?: Pick<Log, 'warn'>;
}

/** Validators of a cached copy. */
interface Validators {
  etag?: string;
  modified?: string;
}

export function createRemoteSounds({ client, directory, clock, log }: RemoteSoundsOptions): RemoteSounds {
  /** Time of the last request, by file. */
  const askedMs = new Map<string, number>();
  const underway = new Map<string, Promise<string>>();

  const fetchTo = async (url: string, name: string): Promise<string> => {
    const file = join(directory, `${name}.wav`);
    const has = existsSync(file);
    const known: Validators = has ? await validatorsIn(`${file}.json`) : {};
    const result = await client.send({
      method: 'GET',
      url: new URL(url),
      headers: {
        'user-agent': 'callweave',
        accept: 'audio/wav, audio/mpeg;q=0.9, audio/*;q=0.5',
        ...(known.etag !== undefined && { 'if-none-match': known.etag }),
        ...(known.modified !== undefined && { 'if-modified-since': known.modified }),
      },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_UPLOAD_BYTES,
    });
    const isSame = 'body' in result && result.status === 304 && has;
    if (!isSame) {
      const wav = await wavOf(result, { clock, log }).catch((error: unknown) => {
        // Keeps the copy if the response is unusable, unless the target address is refused.
        if (has && !('failure' in result && result.failure === 'refused_target')) return undefined;
        throw error;
      });
      if (wav) {
        await keep(file, wav, validatorsOf(result)).catch(() => {
          throw unavailable('it cannot be written to the disk');
        });
      }
    }
    askedMs.set(name, clock.monotonicMs());
    if (!has) await forgetOldest();
    return file;
  };

  const keep = async (file: string, wav: Buffer, validators: Validators): Promise<void> => {
    await mkdir(directory, { recursive: true });
    const part = `${file}.part`;
    await writeFile(part, wav);
    await rename(part, file);
    await writeFile(`${file}.json`, JSON.stringify(validators));
  };

  /** Copies of earlier processes are deleted first. */
  const forgetOldest = async (): Promise<void> => {
    const names = (await readdir(directory)).filter((each) => each.endsWith('.wav')).map((each) => each.slice(0, -4));
    const ranked = names.sort((one, other) => (askedMs.get(one) ?? -1) - (askedMs.get(other) ?? -1));
    for (const name of ranked.slice(0, Math.max(0, names.length - MAX_KEPT))) {
      askedMs.delete(name);
      for (const end of ['wav', 'wav.json']) await rm(join(directory, `${name}.${end}`), { force: true });
    }
  };

  return {
    async fileOf(url) {
      const problem = client.urlProblem(url);
      if (problem !== undefined) throw unavailable(problem);
      const name = createHash('sha256').update(url).digest('hex').slice(0, 40);
      const file = join(directory, `${name}.wav`);
      const askedAt = askedMs.get(name);
      if (askedAt !== undefined && clock.monotonicMs() - askedAt < FRESH_MS && existsSync(file)) return file;
      const running = underway.get(name) ?? fetchTo(url, name).finally(() => underway.delete(name));
      underway.set(name, running);
      return running;
    },
  };
}

const unavailable = (why: string): AudioError =>
  new AudioError(fault('audio_unavailable', `the sound cannot be fetched: ${why}`));

async function wavOf(result: HttpResult, { clock, log }: Pick<RemoteSoundsOptions, 'clock' | 'log'>): Promise<Buffer> {
  if (!('body' in result)) throw unavailable(result.failure.replaceAll('_', ' '));
  if (result.status !== 200) throw unavailable(`the answer is ${result.status}`);
  const type = headerOf(result, 'content-type') ?? '';
  if (!TYPES.test(type)) throw unavailable(`it is ${type.slice(0, 60) || 'of no type'}, not audio`);
  const imported = await importAudio(result.body, { clock, log });
  if (imported.fault) throw new AudioError(imported.fault);
  return imported.wav;
}

function validatorsOf(result: HttpResult): Validators {
  const etag = headerOf(result, 'etag');
  const modified = headerOf(result, 'last-modified');
  return { ...(etag !== undefined && { etag }), ...(modified !== undefined && { modified }) };
}

function headerOf(result: HttpResult, name: string): string | undefined {
  const value = 'headers' in result ? result.headers[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

async function validatorsIn(file: string): Promise<Validators> {
  const read = parseJson(await readFile(file, 'utf8').catch(() => ''));
  const { etag, modified } = isObject(read) ? read : {};
  return { ...(typeof etag === 'string' && { etag }), ...(typeof modified === 'string' && { modified }) };
}
