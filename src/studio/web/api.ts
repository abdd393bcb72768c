/**
 * The service's API, as every client uses it; the session's cookie is the credential. Neighbour: `shell/session.ts`.
 *
 * Invariants
 *  - what fails is one `ServiceError`, with the words and the hint of the service;
 *  - a request without a session makes the page sign in again (`signedOut`), wherever it was made.
 */
import { signal } from '@preact/signals';
import { addressAtService } from '../../pages/web/service-root.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The project that requests act for; the first one when it is not set. */
export const project = signal<string | undefined>(undefined);
/** Counts the answers that said that nobody is signed in. */
export const signedOut = signal(0);

export class ServiceError extends Error {
  readonly status: number;
  readonly hint: string | undefined;
  /** The whole body of the error, where it was JSON. */
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
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is, in place of JSON. */
  body?: string | Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** The body of the response as JSON; throws a `ServiceError`. */
export async function request<Body = Record<string, Json>>(path: string, options: RequestOptions = {}): Promise<Body> {
  const response = await send(path, options);
  return (await response.json()) as Body;
}

/** The response itself, for texts, sounds and streams; throws a `ServiceError`. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const {
    method = 'GET',
    json,
    body = json === undefined ? undefined : JSON.stringify(json),
    signal: aborted,
  } = options;
  const headers: Record<string, string> = { 'x-callweave-studio': '1', ...options.headers };
  if (json !== undefined) headers['content-type'] = 'application/json';
  if (project.value !== undefined) headers['x-callweave-project'] = project.value;
  const init: RequestInit = { method, headers, credentials: 'same-origin' };
  if (body !== undefined) init.body = body;
  if (aborted !== undefined) init.signal = aborted;
  const response = await fetch(addressAtService(path), init).catch((error: unknown) => {
    if (aborted?.aborted) throw error;
    throw new ServiceError(0, 'the service does not answer');
  });
  if (response.ok) return response;
  const failure = (await response.json().catch(() => ({}))) as Record<string, Json>;
  if (response.status === 401) signedOut.value += 1;
  const words =
    failure['msg'] ?? failure['message'] ?? failure['error_description'] ?? `the service answered ${response.status}`;
  throw new ServiceError(response.status, String(words), failure);
}
