/**
 * Relays a request to another node of this service, and its response as a stream, which needs no memory whatever its
 * length. `http-client.ts` is for external servers.
 */
import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';

export interface RelayRequest {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array | undefined;
  /** Timeout until the response starts. */
  timeoutMs: number;
  signal: AbortSignal;
}

export type RelayResult =
  | { status: number; headers: Readonly<Record<string, string | string[] | undefined>>; body: Readable }
  /** `isSent`: the request may have arrived. */
  | { failure: string; isSent: boolean };

export interface HttpRelay {
  send(request: RelayRequest): Promise<RelayResult>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 2000;
const NEVER_SENT = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT']);

export function createHttpRelay(): HttpRelay {
  const agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, keepAliveTimeout: 30_000 });
  return {
    async send({ method, url, headers, body, timeoutMs, signal }) {
      try {
        const answer = await agent.request({
          ...{ origin: url.origin, path: url.pathname + url.search, headers, signal },
          method: method as Dispatcher.HttpMethod,
          body: body ?? null,
          headersTimeout: timeoutMs,
          bodyTimeout: 0,
        });
        return { status: answer.statusCode, headers: answer.headers, body: answer.body };
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
        return { failure: code, isSent: !NEVER_SENT.has(code) };
      }
    },
    close: () => agent.destroy(),
  };
}
