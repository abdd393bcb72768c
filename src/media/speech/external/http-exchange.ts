/**
 * One request to an external engine, with limits and a fault for each kind of failure.
 *
 * Invariant: errors never contain the key, the URL or the text, because faults are logged.
 */
import type { HttpClient, HttpClientRequest } from '../../../base/http/http-client.ts';
import { synthesisFailed } from '../synthesizer.ts';

export interface SpeechHttpResponse {
  contentType: string;
  bytes: Uint8Array;
}

/** Half a minute of 48 kHz stereo, far more than a sentence. */
const MAX_ANSWER_BYTES = 8 * 2 ** 20;

/** `signal` is aborted when no listener is left, `stopped` when the engine is stopped. */
export async function requestSpeech(
  client: HttpClient,
  request: Pick<HttpClientRequest, 'url' | 'headers' | 'body' | 'timeoutMs'>,
  signal: AbortSignal,
  stopped: AbortSignal,
): Promise<SpeechHttpResponse> {
  const result = await client.send({
    ...request,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'audio/*', ...request.headers },
    maxBytes: MAX_ANSWER_BYTES,
    signal: AbortSignal.any([signal, stopped]),
  });
  if (signal.aborted) throw signal.reason;
  if (stopped.aborted) throw synthesisFailed('the engine was stopped');
  if ('status' in result && result.status >= 300) {
    // Redirects are errors, because the key is only for the configured URL.
    if (result.status < 400) throw synthesisFailed('the engine cannot be reached (it redirects)');
    throw synthesisFailed(`the engine answered ${result.status}`);
  }
  if ('body' in result) return { contentType: String(result.headers['content-type'] ?? ''), bytes: result.body };
  const { failure, code } = result;
  if (failure === 'timeout') throw synthesisFailed(`no answer in ${request.timeoutMs} ms`);
  if (failure === 'too_large') throw synthesisFailed(`the engine sent more than ${MAX_ANSWER_BYTES} bytes`);
  throw synthesisFailed(`the engine cannot be reached (${code || 'connection failed'})`);
}
