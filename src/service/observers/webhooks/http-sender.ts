/** Port and implementation of one HTTP attempt, whose result the dispatcher evaluates. */
import { bodyText } from '../../../base/http/body-text.ts';
import { createHttpClient, type HttpClientOptions, type HttpFailure } from '../../../base/http/http-client.ts';
import type { TargetPolicy } from '../../../base/http/ssrf-guard.ts';

export interface SendRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** A failure without a status contains a one-word reason for the log. */
export type SendResult = { status: number; body: WebhookResponseBody } | { failure: HttpFailure };

/** Body of a response; `isJson`: its Content-Type is JSON. */
export type WebhookResponseBody =
  | { text: string; isJson?: boolean }
  | { unread: 'too_large' | 'broken_off' | 'encoding' | 'charset' };

export interface Sender {
  /** Never throws. */
  send(request: SendRequest): Promise<SendResult>;
  /** Closes all connections. */
  close(): Promise<void>;
}

const MAX_ANSWER_BYTES = 65_536;
const OWN_HEADERS = { 'content-type': 'application/json', 'user-agent': 'callweave', accept: 'application/json' };

export function httpSender(policy: TargetPolicy, options: HttpClientOptions & { timeoutMs: number }): Sender {
  const { timeoutMs } = options;
  const client = createHttpClient({ ...options, policy });
  return {
    async send({ url: text, headers, body }) {
      const url = URL.parse(text);
      if (!url) return { failure: 'refused_target' };
      const result = await client.send({
        method: 'POST',
        url,
        headers: { ...headers, ...credentials(url), ...OWN_HEADERS },
        body,
        timeoutMs,
        maxBytes: MAX_ANSWER_BYTES,
      });
      if (!('status' in result)) return { failure: result.failure };
      const { status } = result;
      if ('body' in result) return { status, body: await answerBodyOf(result.body, result.headers) };
      return { status, body: { unread: result.failure === 'too_large' ? 'too_large' : 'broken_off' } };
    },
    close: client.close,
  };
}

async function answerBodyOf(
  body: Buffer,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Promise<WebhookResponseBody> {
  const isJson = /\bjson\b/i.test(String(headers['content-type'] ?? ''));
  const decoded = await bodyText(body, headers, { maxBytes: MAX_ANSWER_BYTES, isStrict: isJson });
  return 'text' in decoded ? { text: decoded.text, ...(isJson && { isJson }) } : { unread: decoded.wrong };
}

/** `https://name:password@host/` is sent as Basic credentials, as is usual for such URLs. */
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
