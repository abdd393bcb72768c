/**
 * HTTP client for the service's REST API. The session cookie is the credential (`shell/session.ts`).
 *
 * Invariants
 * - every failure is a `ServiceError` with message and hint of the service;
 * - every request without a valid session makes the page show the sign-in form (`signedOut`);
 * - a request without an answer makes the page say so (`isOffline`).
 */
import { signal } from '@preact/signals';
import type { Json } from '../../../base/core/json.ts';
import { addressAtService } from '../../shared/web/service-root.ts';
import { t } from '../../shared/web/words/translate.ts';

/** Project of all requests. Undefined selects the first project. */
export const project = signal<string | undefined>(undefined);
/** Number of 401 responses. */
export const signedOut = signal(0);
/** True after a request without an answer, until the next answer. */
export const isOffline = signal(false);

export class ServiceError extends Error {
  readonly status: number;
  readonly hint: string | undefined;
  /** Parsed body of the error response. Empty if it was not JSON. */
  readonly body: Record<string, Json>;

  constructor(status: number, message: string, body: Record<string, Json> = {}) {
    super(message);
    this.status = status;
    this.body = body;
    this.hint = typeof body['hint'] === 'string' ? body['hint'] : undefined;
  }
}

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Body, sent as JSON. */
  json?: unknown;
  /** Body, sent unchanged in place of JSON. */
  body?: string | Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** The request survives the page that sends it. */
  keepalive?: boolean;
}

/** Returns the response body as JSON. Throws a `ServiceError`. */
export async function request<Body = Record<string, Json>>(path: string, options: RequestOptions = {}): Promise<Body> {
  const response = await send(path, options);
  return (await response.json()) as Body;
}

/** Returns the response, for texts, audio and streams. Throws a `ServiceError`. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const {
    method = 'GET',
    json,
    body = json === undefined ? undefined : JSON.stringify(json),
    signal: aborted,
    keepalive = false,
  } = options;
  const headers: Record<string, string> = { 'x-callweave-studio': '1', ...options.headers };
  if (json !== undefined) headers['content-type'] = 'application/json';
  if (project.value !== undefined) headers['x-callweave-project'] = project.value;
  const init: RequestInit = { method, headers, credentials: 'same-origin', keepalive };
  if (body !== undefined) init.body = body;
  if (aborted !== undefined) init.signal = aborted;
  const response = await fetch(addressAtService(path), init).catch((error: unknown) => {
    if (aborted?.aborted) throw error;
    isOffline.value = true;
    throw new ServiceError(0, t('the service does not answer'));
  });
  isOffline.value = false;
  if (response.ok) return response;
  const failure = (await response.json().catch(() => ({}))) as Record<string, Json>;
  if (response.status === 401) signedOut.value += 1;
  const words =
    failure['msg'] ??
    failure['message'] ??
    failure['error_description'] ??
    t('the service answered {status}', { status: response.status });
  throw new ServiceError(response.status, String(words), failure);
}
