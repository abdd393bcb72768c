/**
 * One request to an external engine, with everything that may go wrong bounded and named.
 *
 * Invariants
 *  H1 neither the key, nor the address, nor the text stands in what is thrown: faults are logged;
 *  H2 no redirection is followed: the key goes where it was meant to go and nowhere else;
 *  H3 an answer is read up to the limit and within the time, whatever it claims of itself.
 */
import type { Clock } from '../../core/clock.ts';
import { synthesisFailed } from '../synthesizer.ts';

export interface SpeechHttpRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: object;
  timeoutMs: number;
  clock: Clock;
  /** Whoever waits. */
  signal: AbortSignal;
  /** The engine is being stopped. */
  stopped: AbortSignal;
}

export interface SpeechHttpResponse {
  contentType: string;
  bytes: Uint8Array;
}

/** Half a minute of 48 kHz stereo, far more than a sentence. */
const MAX_ANSWER_BYTES = 8 * 2 ** 20;

export async function requestSpeech({
  url,
  headers,
  body,
  timeoutMs,
  clock,
  signal,
  stopped,
}: SpeechHttpRequest): Promise<SpeechHttpResponse> {
  const late = new AbortController();
  const timer = clock.after(timeoutMs, () => late.abort());
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', accept: 'audio/*', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, stopped, late.signal]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw synthesisFailed(`the engine answered ${response.status}`);
    }
    return { contentType: response.headers.get('content-type') ?? '', bytes: await readBounded(response) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (stopped.aborted) throw synthesisFailed('the engine was stopped');
    if (late.signal.aborted) throw synthesisFailed(`no answer in ${timeoutMs} ms`);
    if (error instanceof Error && 'fault' in error) throw error;
    throw synthesisFailed(`the engine cannot be reached (${reasonOf(error)})`);
  } finally {
    timer.cancel();
  }
}

async function readBounded(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    // Leaving the loop ends the connection.
    if (length > MAX_ANSWER_BYTES) throw synthesisFailed(`the engine sent more than ${MAX_ANSWER_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Codes are safe; messages may hold the address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === 'string' ? cause.code : 'connection failed';
}
