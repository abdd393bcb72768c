/**
 * Recognisers behind HTTP: each utterance is sent as a WAV file when it is over, and answered with its text. Two kinds: a
 * plain one for services of one's own, and the OpenAI-compatible `/audio/transcriptions` that many servers offer.
 *
 * Invariants
 *  H1 keys and what was said appear in no fault and no log;
 *  H2 an answer is read up to a bound, waited for up to a time, and never followed to another place.
 */
import type { Clock } from '../../core/clock.ts';
import { type Fault, fault } from '../../core/fault.ts';
import { isObject, type Json } from '../../core/json.ts';
import type { ListenOptions } from '../../core/leg.ts';
import { readBody } from '../../http/read-body.ts';
import { AudioError, SAMPLE_RATE_HZ } from '../../telephony/audio.ts';
import { wavBytes } from '../wav.ts';
import { type RecognizedUtterance, recognizedText, type Transcriber, type Transcription } from './transcriber.ts';

export interface HttpTranscriberOptions {
  kind: 'http' | 'openai';
  /** Where utterances are posted. */
  url: string;
  key?: string;
  /** Of `openai`: the model's name. */
  model?: string;
  languages: readonly string[];
  clock: Clock;
  /** Listenings at one time. */
  maxSessions: number;
  timeoutMs?: number;
}

interface TranscriptionHttpRequest {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer> | FormData;
}

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 65_536;
const MAX_HINT_CHARACTERS = 2000;
const DEFAULT_MODEL = 'whisper-1';

export function createHttpTranscriber(options: HttpTranscriberOptions): Transcriber {
  const { kind, clock, maxSessions, timeoutMs = TIMEOUT_MS } = options;
  const ask = kind === 'openai' ? openAiRequest : plainRequest;
  const stopping = new AbortController();
  let open = 0;

  const busy = (): Fault | undefined => {
    if (stopping.signal.aborted) return fault('recognition_failed', 'the recogniser was stopped', { retryable: true });
    return open >= maxSessions
      ? fault('recognizer_busy', `${maxSessions} calls are listened to already`, { retryable: true })
      : undefined;
  };

  const transcribe = async (
    pcm: Int16Array,
    listen: ListenOptions,
    signal: AbortSignal,
  ): Promise<RecognizedUtterance> => {
    const { url, headers, body } = ask(pcm, listen, options);
    const late = new AbortController();
    const watchdog = clock.after(timeoutMs, () => late.abort());
    try {
      const answer = await fetch(url, {
        ...{ method: 'POST', headers, body, redirect: 'error' },
        signal: AbortSignal.any([signal, stopping.signal, late.signal]),
      });
      const text = answer.body ? await readBody(answer.body as AsyncIterable<Buffer>, MAX_ANSWER_BYTES) : '';
      if (!answer.ok) {
        const retryable = answer.status >= 500 || answer.status === 429;
        throw failure(`the recogniser answered ${answer.status}`, retryable);
      }
      return recognizedIn(text);
    } catch (error) {
      if (error instanceof AudioError) throw error;
      throw failure(
        late.signal.aborted ? `no answer in ${timeoutMs} ms` : `it cannot be reached${codeOf(error)}`,
        true,
      );
    } finally {
      watchdog.cancel();
    }
  };

  return {
    name: kind,
    languages: options.languages,
    refusal: busy,
    open(listen, listener): Transcription {
      const refusal = busy();
      if (refusal) queueMicrotask(() => listener.failed(refusal));
      else open++;
      const closing = new AbortController();
      let closed = refusal !== undefined;
      let parts: Int16Array[] = [];
      return {
        write(pcm) {
          if (!closed) parts.push(pcm.slice());
        },
        end() {
          const pcm = joined(parts);
          parts = [];
          return transcribe(pcm, listen, closing.signal);
        },
        close() {
          if (closed) return;
          closed = true;
          open--;
          closing.abort();
        },
      };
    },
    async stop() {
      stopping.abort();
    },
  };
}

/** `POST url?language=en-US&hint=sales&hint=…` with a WAV file, answered by `{"text": "…", "confidence": 0.9}`. */
function plainRequest(
  pcm: Int16Array,
  listen: ListenOptions,
  options: HttpTranscriberOptions,
): TranscriptionHttpRequest {
  const url = new URL(options.url);
  url.searchParams.set('language', listen.language);
  if (listen.grammar) url.searchParams.set('grammar', listen.grammar);
  for (const hint of shortEnough(listen.hints)) url.searchParams.append('hint', hint);
  return { url: url.href, headers: { 'content-type': 'audio/wav', ...authorization(options) }, body: wav(pcm) };
}

function openAiRequest(
  pcm: Int16Array,
  listen: ListenOptions,
  options: HttpTranscriberOptions,
): TranscriptionHttpRequest {
  const form = new FormData();
  form.set('file', new Blob([wav(pcm)], { type: 'audio/wav' }), 'utterance.wav');
  form.set('model', options.model ?? DEFAULT_MODEL);
  // ISO 639-1, without a region.
  form.set('language', listen.language.split('-')[0]!.toLowerCase());
  form.set('response_format', 'json');
  const hints = shortEnough(listen.hints);
  if (hints.length > 0) form.set('prompt', hints.join(', '));
  return { url: options.url, headers: authorization(options), body: form };
}

const authorization = ({ key }: HttpTranscriberOptions): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` };

function wav(pcm: Int16Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(wavBytes(pcm, SAMPLE_RATE_HZ));
}

/** As many of the hints as an address, or a prompt, has room for. */
function shortEnough(hints: readonly string[]): string[] {
  let letters = 0;
  return hints.filter((hint) => {
    letters += hint.length;
    return letters <= MAX_HINT_CHARACTERS;
  });
}

function recognizedIn(text: string | undefined): RecognizedUtterance {
  let answer: Json;
  try {
    answer = JSON.parse(text ?? '');
  } catch {
    throw failure('its answer is not JSON', false);
  }
  if (!isObject(answer) || typeof answer['text'] !== 'string') throw failure('its answer has no text', false);
  const { confidence } = answer;
  const sure = typeof confidence === 'number' && Number.isFinite(confidence) ? Math.max(0, Math.min(1, confidence)) : 1;
  return recognizedText(answer['text'], sure);
}

const failure = (why: string, retryable: boolean): AudioError =>
  new AudioError(fault('recognition_failed', `speech was not recognised: ${why}`, { retryable }));

/** ECONNREFUSED and the like; messages could quote what was sent. */
function codeOf(error: unknown): string {
  const cause = (error as { cause?: { code?: unknown } }).cause?.code;
  return typeof cause === 'string' ? ` (${cause})` : '';
}

function joined(parts: readonly Int16Array[]): Int16Array {
  const pcm = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    pcm.set(part, at);
    at += part.length;
  }
  return pcm;
}
