/**
 * Speech recognition over HTTP: each utterance is sent as a WAV file after its end, and answered with its text. Two
 * protocols: a simple one for custom services, and the OpenAI-compatible `/audio/transcriptions` of many servers.
 *
 * Invariants
 * - faults and logs contain neither keys nor transcripts;
 * - responses are limited in size and time, and redirects are not followed;
 * - the number of concurrent requests is limited, and projects take turns.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { type Fault, fault } from '../../../base/core/fault.ts';
import { isObject, type Json } from '../../../base/core/json.ts';
import { createHttpClient, type HttpResult } from '../../../base/http/http-client.ts';
import { AudioError, SAMPLE_RATE_HZ } from '../../telephony/audio.ts';
import type { RecognitionRequest } from '../../telephony/recognition.ts';
import { DEFAULT_REQUESTS, RequestTurns } from '../request-turns.ts';
import { joined } from '../shared-sound.ts';
import { wavBytes } from '../wav.ts';
import { SessionLimit, type SessionShare } from './session-limit.ts';
import {
  DEFAULT_SESSIONS,
  type RecognizedUtterance,
  type RecognizerConfig,
  recognizedText,
  type Transcriber,
  type Transcription,
} from './transcriber.ts';

interface TranscriptionHttpRequest {
  url: URL;
  headers: Record<string, string>;
  body: Uint8Array;
}

const ANY_LANGUAGE = ['*'];
const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 65_536;
const MAX_HINT_CHARACTERS = 2000;
const DEFAULT_MODEL = 'whisper-1';

export function createHttpTranscriber(config: RecognizerConfig, clock: Clock, shareOf?: SessionShare): Transcriber {
  const { engine, languages = ANY_LANGUAGE, maxSessions = DEFAULT_SESSIONS, timeoutMs = TIMEOUT_MS } = config;
  const requestOf = engine === 'openai' ? openAiRequest : plainRequest;
  const stopping = new AbortController();
  const client = createHttpClient({ clock });
  const turns = new RequestTurns(config.maxRequests ?? DEFAULT_REQUESTS);
  const sessions = new SessionLimit(maxSessions, shareOf);

  const refusalFor = (projectId?: string): Fault | undefined => {
    if (stopping.signal.aborted) return fault('recognition_failed', 'the recogniser was stopped', { retryable: true });
    return sessions.refusal(projectId);
  };

  const transcribe = async (
    pcm: Int16Array,
    listen: RecognitionRequest,
    signal: AbortSignal,
  ): Promise<RecognizedUtterance> => {
    const turn = { projectId: listen.projectId, signal: AbortSignal.any([signal, stopping.signal]) };
    const request = await requestOf(pcm, listen, config);
    const result = await turns.run(turn, () =>
      client.send({ ...request, method: 'POST', timeoutMs, maxBytes: MAX_ANSWER_BYTES, signal: turn.signal }),
    );
    return recognizedIn(textIn(result, timeoutMs));
  };

  return {
    name: engine,
    languages,
    refusal: refusalFor,
    open(listen, listener): Transcription {
      const refusal = refusalFor(listen.projectId);
      if (refusal) queueMicrotask(() => listener.failed(refusal));
      const release = refusal ? undefined : sessions.open(listen.projectId);
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
          release?.();
          closing.abort();
        },
      };
    },
    async stop() {
      stopping.abort();
      await client.close();
    },
  };
}

/** `POST url?language=en-US&hint=sales&hint=…` with a WAV file, answered by `{"text": "…", "confidence": 0.9}`. */
function plainRequest(pcm: Int16Array, listen: RecognitionRequest, config: RecognizerConfig): TranscriptionHttpRequest {
  const url = new URL(config.url!);
  url.searchParams.set('language', listen.language);
  if (listen.grammar) url.searchParams.set('grammar', listen.grammar);
  for (const hint of shortEnough(listen.hints)) url.searchParams.append('hint', hint);
  return { url, headers: { 'content-type': 'audio/wav', ...authorization(config) }, body: wav(pcm) };
}

async function openAiRequest(
  pcm: Int16Array,
  listen: RecognitionRequest,
  config: RecognizerConfig,
): Promise<TranscriptionHttpRequest> {
  const form = new FormData();
  form.set('file', new Blob([wav(pcm)], { type: 'audio/wav' }), 'utterance.wav');
  form.set('model', config.model ?? DEFAULT_MODEL);
  // ISO 639-1, without a region.
  form.set('language', listen.language.split('-')[0]!.toLowerCase());
  form.set('response_format', 'json');
  const hints = shortEnough(listen.hints);
  if (hints.length > 0) form.set('prompt', hints.join(', '));
  const encoded = new Response(form);
  const contentType = encoded.headers.get('content-type')!;
  const headers = { 'content-type': contentType, ...authorization(config) };
  return { url: new URL(config.url!), headers, body: new Uint8Array(await encoded.arrayBuffer()) };
}

const authorization = ({ key }: RecognizerConfig): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` };

function wav(pcm: Int16Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(wavBytes(pcm, SAMPLE_RATE_HZ));
}

/** The hints that fit into a URL or a prompt. */
function shortEnough(hints: readonly string[]): string[] {
  let letters = 0;
  return hints.filter((hint) => {
    letters += hint.length;
    return letters <= MAX_HINT_CHARACTERS;
  });
}

/** Body of a response. Undefined if it is too long. */
function textIn(result: HttpResult, timeoutMs: number): string | undefined {
  if ('status' in result && result.status >= 400) {
    const retryable = result.status >= 500 || result.status === 429;
    throw failure(`the recogniser answered ${result.status}`, retryable);
  }
  // Redirects are errors, because the key is only for the configured URL.
  if ('status' in result && result.status >= 300) throw failure('it cannot be reached (it redirects)', true);
  if ('body' in result) return result.body.toString('utf8');
  if (result.failure === 'too_large') return undefined;
  if (result.failure === 'timeout') throw failure(`no answer in ${timeoutMs} ms`, true);
  // Only the error code is reported: messages could contain request data.
  throw failure(`it cannot be reached${result.code === '' ? '' : ` (${result.code})`}`, true);
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
