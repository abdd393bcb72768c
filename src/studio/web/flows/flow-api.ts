/** The service's routes for flows, as the list and the editor use them. */
import type { Diagnostic } from '../../../core/diagnostic.ts';
import { request, type ServiceError } from '../api.ts';

export interface ListedFlow {
  name: string;
  file?: string;
  built_in: boolean;
  etag?: string;
  hash?: string;
  steps: number;
  numbers: string[];
  tests: number;
  errors: number;
  warnings: number;
  /** What calls of this name take: what the file says, or something else. */
  calls_take: 'file' | 'earlier' | 'other' | 'nothing';
  /** The first that is wrong. */
  first?: Diagnostic;
  live_calls?: number;
  /** The last one that it had. */
  canary?: { version: string; percent: number; state: 'on' | 'returned' | 'stopped' };
}

export interface FlowFile {
  name: string;
  file?: string;
  text: string;
  etag: string;
  built_in: boolean;
  diagnostics: Diagnostic[];
}

const pathOf = (name: string): string => `/admin/v1/flows/${encodeURIComponent(name)}`;

export const listFlows = async (): Promise<ListedFlow[]> =>
  (await request<{ flows: ListedFlow[] }>('/admin/v1/flows')).flows;

export const readFlow = (name: string): Promise<FlowFile> => request<FlowFile>(pathOf(name));

/** Without an etag the flow is a new one. */
export const writeFlow = (name: string, text: string, etag: string | undefined, isDraft: boolean): Promise<FlowFile> =>
  request<FlowFile>(pathOf(name), {
    method: 'PUT',
    headers: etag === undefined ? { 'if-none-match': '*' } : { 'if-match': quoted(etag) },
    json: { text, ...(isDraft && { draft: true }) },
  });

export const deleteFlow = (name: string, etag: string): Promise<unknown> =>
  request(pathOf(name), { method: 'DELETE', headers: { 'if-match': quoted(etag) } });

export const quoted = (etag: string): string => (etag.startsWith('"') ? etag : `"${etag}"`);

export interface CheckedFlow {
  diagnostics: Diagnostic[];
  hash?: string;
}

/** `session` says which checks are of one text: a newer one takes the place of an older. */
export const checkFlow = (name: string, text: string, session: string, signal: AbortSignal): Promise<CheckedFlow> =>
  request<CheckedFlow>('/admin/v1/flows/check', { method: 'POST', json: { name, text, session }, signal });

/** The text that somebody else has saved meanwhile. */
export interface Theirs {
  text: string;
  etag: string;
}

export function conflictIn(error: ServiceError): Theirs | undefined {
  const current = error.body['current'] as unknown as Theirs | undefined;
  return error.status === 412 && typeof current?.text === 'string' ? current : undefined;
}

export function diagnosticsIn(error: ServiceError): Diagnostic[] | undefined {
  const found = error.body['diagnostics'];
  return error.status === 422 && Array.isArray(found) ? (found as unknown as Diagnostic[]) : undefined;
}
