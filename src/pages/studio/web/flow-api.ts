/** Client for the flow routes of the service. Used by the flow list and the editor. */
import type { Diagnostic } from '../../../base/core/diagnostic.ts';
import type { Json, JsonObject } from '../../../base/core/json.ts';
import { request, type ServiceError } from './api.ts';

export interface ListedFlowData {
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
  /** Version that calls of this name use: that of the file, an earlier one, another one, or none. */
  calls_take: 'file' | 'earlier' | 'other' | 'nothing';
  /** First diagnostic of the flow. */
  first?: Diagnostic;
  live_calls?: number;
  /** Time of the own draft on the service, ISO 8601. */
  draft?: string;
  /** Number of open comments. */
  comments?: number;
  /** Latest canary of the flow. */
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

export const listFlows = async (): Promise<ListedFlowData[]> =>
  (await request<{ flows: ListedFlowData[] }>('/admin/v1/flows')).flows;

export const readFlow = (name: string): Promise<FlowFile> => request<FlowFile>(pathOf(name));

interface WriteOptions {
  /** True to save despite errors. */
  isDraft?: boolean;
  /** Renamed steps, whose comments follow. */
  renamed?: readonly { from: string; to: string }[];
}

/** Without `etag`, creates a flow. */
export const writeFlow = (
  name: string,
  text: string,
  etag: string | undefined,
  { isDraft = false, renamed = [] }: WriteOptions = {},
): Promise<FlowFile> =>
  request<FlowFile>(pathOf(name), {
    method: 'PUT',
    headers: etag === undefined ? { 'if-none-match': '*' } : { 'if-match': quoted(etag) },
    json: { text, ...(isDraft && { draft: true }), ...(renamed.length > 0 && { renamed }) },
  });

/** A flow, or a test of it, that is saved together with another flow. */
export interface OtherSave {
  flow: string;
  /** File of the test. */
  test?: string;
  /** Absent for a new file. */
  etag?: string;
  text: string;
  draft?: boolean;
}

/** Saves a flow together with other files, all or none. Returns the flow. */
export async function writeTogether(
  file: FlowFile,
  { text, isDraft = false, renamed = [] }: WriteOptions & { text: string },
  others: readonly OtherSave[],
): Promise<FlowFile> {
  const { name: flow, etag } = file;
  const own = { flow, etag, text, ...(isDraft && { draft: true }), ...(renamed.length > 0 && { renamed }) };
  const { files } = await request<{ files: (OtherSave & Pick<FlowFile, 'etag' | 'diagnostics'>)[] }>(
    '/admin/v1/flows/save',
    { method: 'POST', json: { files: [own, ...others] } },
  );
  const saved = files.find((each) => each.flow === flow && each.test === undefined)!;
  return { ...file, text, etag: saved.etag, diagnostics: saved.diagnostics };
}

export const deleteFlow = (name: string, etag: string): Promise<unknown> =>
  request(pathOf(name), { method: 'DELETE', headers: { 'if-match': quoted(etag) } });

/** Unsaved text of a flow on the service. */
export interface ServiceDraft {
  text: string;
  /** `ETag` of the saved text that it is based on. */
  base: string;
  /** ISO 8601. */
  saved: string;
}

const draftPathOf = (name: string): string => `${pathOf(name)}/draft`;

export const readDraft = (name: string): Promise<ServiceDraft> => request<ServiceDraft>(draftPathOf(name));

export const putDraft = (name: string, text: string, base: string): Promise<Omit<ServiceDraft, 'text'>> =>
  request<Omit<ServiceDraft, 'text'>>(draftPathOf(name), { method: 'PUT', json: { text, base } });

export const removeDraft = (name: string): Promise<unknown> => request(draftPathOf(name), { method: 'DELETE' });

export const quoted = (etag: string): string => (etag.startsWith('"') ? etag : `"${etag}"`);

export interface CheckedFlow {
  diagnostics: Diagnostic[];
  hash?: string;
}

/** Checks with the same `session` replace each other: a newer one cancels the older. */
export const checkFlow = (name: string, text: string, session: string, signal: AbortSignal): Promise<CheckedFlow> =>
  request<CheckedFlow>('/admin/v1/flows/check', { method: 'POST', json: { name, text, session }, signal });

/** The request of a step with example values, and its answer if it was sent. */
export interface RequestTrial {
  request: { method: string; url: string; headers: Record<string, string>; body?: Json };
  /** Values of a call that the request depends on, such as `vars.order`. */
  reads: string[];
  answer?: { status?: number; body?: Json; message?: string; ms: number; outcome: string };
}

export const tryRequest = (
  name: string,
  order: { step: string; text: string; values: JsonObject; send: boolean },
  signal?: AbortSignal,
): Promise<RequestTrial> =>
  request<RequestTrial>(`${pathOf(name)}/request`, { method: 'POST', json: order, ...(signal && { signal }) });

/** Text that another user saved in the meantime. */
export interface Theirs {
  text: string;
  etag: string;
}

/** Refusal of the flow itself, in the answer to a save of this or of several files. */
function refusedIn({ body }: ServiceError, flow: string): JsonObject {
  const files = Array.isArray(body['files']) ? (body['files'] as JsonObject[]) : [];
  return files.find((each) => each['flow'] === flow && each['test'] === undefined) ?? body;
}

export function conflictIn(error: ServiceError, flow: string): Theirs | undefined {
  const current = refusedIn(error, flow)['current'] as unknown as Theirs | undefined;
  return [409, 412].includes(error.status) && typeof current?.text === 'string' ? current : undefined;
}

export function diagnosticsIn(error: ServiceError, flow: string): Diagnostic[] | undefined {
  const found = refusedIn(error, flow)['diagnostics'];
  return error.status === 422 && Array.isArray(found) ? (found as unknown as Diagnostic[]) : undefined;
}
