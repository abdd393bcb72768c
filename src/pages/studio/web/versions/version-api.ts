/** Client for versions of flows, and for replays of calls on a text. */

import { pageLocale } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';

export interface Version {
  hash: string;
  /** Number among the versions of the flow, from 1. */
  version_number: number;
  /** Etag of the text. */
  etag: string;
  first_seen: string;
  /** User who saved it. Absent if it existed at the start of the service. */
  author?: string;
  in_force?: boolean;
  /** Number of the latest calls that used it. */
  calls: number;
}

export const pathOf = (flow: string): string => `/admin/v1/flows/${encodeURIComponent(flow)}`;

export const listVersions = async (flow: string, signal?: AbortSignal): Promise<Version[]> =>
  (await request<{ versions: Version[] }>(`${pathOf(flow)}/versions`, { signal })).versions;

/** Saves a text as a candidate. The same text is the same version. */
export const keepVersion = (flow: string, text: string): Promise<Version> =>
  request<Version>(`${pathOf(flow)}/versions`, { method: 'POST', json: { text } });

/** Display name of a version without its time. */
export const shortHash = (hash: string): string => hash.slice(0, 8);

export const timeOf = (at: string): string =>
  new Date(at).toLocaleString(pageLocale(), { dateStyle: 'medium', timeStyle: 'short' });

const texts = new Map<string, Promise<string>>();

/** Versions are immutable: each is read once. */
export function readVersion(flow: string, hash: string): Promise<string> {
  const known = texts.get(hash);
  if (known !== undefined) return known;
  const reading = request<{ text: string }>(`${pathOf(flow)}/versions/${encodeURIComponent(hash)}`).then(
    ({ text }) => text,
  );
  texts.set(hash, reading);
  reading.catch(() => texts.delete(hash));
  return reading;
}

export interface Replayed {
  voice_id: string;
  same: boolean;
  first_difference?: { at_ms: number; step?: string; message: string };
}

/** Replays the latest calls of the flow on this text. */
export const replayOn = async (flow: string, text: string, calls: number, signal: AbortSignal): Promise<Replayed[]> => {
  const body = { text, calls };
  const answer = await request<{ results: Replayed[] }>(`${pathOf(flow)}/replay`, {
    method: 'POST',
    json: body,
    signal,
  });
  return answer.results;
};
