/**
 * Sends one event over HTTP, and survives whatever the other end does.
 * Invariants: an attempt takes no longer than its time-out; no redirect is followed; of a response no more is read than
 * the limit.
 */
import { request } from 'undici';
import type { Clock } from '../../core/clock.ts';
import { readBody } from '../../core/read-body.ts';
import type { AnswerBody, Sender, SendFailure, SendRequest, SendResult } from './sender.ts';
import { type GuardedAgentOptions, guardedAgent, refusalOfUrl, type TargetPolicy } from './targets.ts';

export interface HttpSenderOptions extends TargetPolicy {
  clock: Clock;
  timeoutMs: number;
  /** Simultaneous connections to one receiver. */
  connections: number;
  /** Bytes of a response that are read. */
  maxAnswerBytes?: number;
  /** How names are resolved; the system's way when absent. */
  lookup?: NonNullable<GuardedAgentOptions['lookup']>;
}

const MAX_ANSWER_BYTES = 65_536;

export function httpSender(options: HttpSenderOptions): Sender {
  const { clock, timeoutMs, privateTargets, maxAnswerBytes = MAX_ANSWER_BYTES } = options;
  const agent = guardedAgent({
    privateTargets,
    connectTimeoutMs: timeoutMs,
    connections: options.connections,
    ...(options.lookup ? { lookup: options.lookup } : {}),
  });

  async function attempt({ url, headers, body }: SendRequest, signal: AbortSignal): Promise<SendResult> {
    const target = new URL(url);
    const response = await request(target, {
      method: 'POST',
      headers: {
        ...headers,
        ...credentials(target),
        'content-type': 'application/json',
        'user-agent': 'callweave',
        accept: 'application/json',
      },
      body,
      dispatcher: agent,
      signal,
    });
    return { status: response.statusCode, body: await readUpTo(maxAnswerBytes, response.body) };
  }

  return {
    async send(sent) {
      if (refusalOfUrl(sent.url, { privateTargets }) !== undefined) return { failure: 'refused_target' };
      const abort = new AbortController();
      const timer = clock.after(timeoutMs, () => abort.abort());
      try {
        return await attempt(sent, abort.signal);
      } catch (error) {
        return { failure: abort.signal.aborted ? 'timeout' : failureOf(error) };
      } finally {
        timer.cancel();
      }
    },
    close: () => agent.destroy(),
  };
}

/** `https://name:password@host/` is sent as Basic credentials, as people who write such URLs expect. */
function credentials({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = [username, password].map(decodeOrKeep).join(':');
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The status is there already: what happens to the body changes nothing but the answer. */
async function readUpTo(maxBytes: number, body: AsyncIterable<Buffer>): Promise<AnswerBody> {
  try {
    const text = await readBody(body, maxBytes);
    return text === undefined ? { unread: 'too_large' } : { text };
  } catch {
    return { unread: 'broken_off' };
  }
}

const FAILURES: Readonly<Record<string, SendFailure>> = {
  TARGET_REFUSED: 'refused_target',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_not_found',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'bad_response',
};

function failureOf(error: unknown): SendFailure {
  if (!(error instanceof Error)) return 'network';
  // Several addresses were tried: what the last one said.
  if (error instanceof AggregateError) return failureOf(error.errors.at(-1));
  const code = 'code' in error ? String(error.code) : '';
  const known = FAILURES[code];
  if (known) return known;
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return 'bad_response';
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || /CERT|SELF_SIGNED/.test(code)) return 'tls';
  return 'network';
}
