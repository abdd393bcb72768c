/** Client for canaries: versions that take a share of a flow's calls. Used by `canary-figures.ts`. */
import { request } from '../api.ts';
import { type ListedFlowData, listFlows, quoted } from '../flow-api.ts';
import { pathOf } from './version-api.ts';

/** Calls of one of the two versions since the canary started. */
export interface CanarySide {
  version: string;
  calls: number;
  errors: number;
  abandoned: number;
  /** Counts by `step outcome`. */
  exits: Readonly<Record<string, number>>;
}

export interface CanaryComparison {
  in_force: CanarySide;
  canary: CanarySide;
}

/** Conditions for an automatic rollback, in percentage points. */
export interface BackWhenData {
  errors_worse_by: number;
  abandoned_worse_by: number;
  after_calls: number;
}

export interface WantedCanary {
  version: string;
  percent: number;
  /** Numbers that use the canary. Default: all numbers of the flow. */
  numbers?: string[];
  back_when: BackWhenData;
}

export interface CanaryData extends WantedCanary {
  since: string;
  state: 'on' | 'returned' | 'stopped';
  ended?: { at: string; why: string; by?: string };
  compared: CanaryComparison;
}

/** Defaults of the schema. */
export const BACK_WHEN: Readonly<BackWhenData> = { errors_worse_by: 5, abandoned_worse_by: 10, after_calls: 20 };

type Answer = Omit<CanaryData, 'back_when'> & { back_when?: Partial<BackWhenData> };

const whole = ({ back_when, ...canary }: Answer): CanaryData => ({
  ...canary,
  back_when: { ...BACK_WHEN, ...back_when },
});
const canaryOf = (flow: string): string => `${pathOf(flow)}/canary`;

export const readCanary = async (flow: string, signal?: AbortSignal): Promise<CanaryData> =>
  whole(await request<Answer>(canaryOf(flow), { signal }));

/** Starts a canary, or changes the active one. */
export const writeCanary = async (flow: string, wanted: WantedCanary): Promise<CanaryData> =>
  whole(await request<Answer>(canaryOf(flow), { method: 'PUT', json: wanted }));

/** Ends the canary at once: new calls use the live version. */
export const endCanary = (flow: string): Promise<unknown> => request(canaryOf(flow), { method: 'DELETE' });

/** List entry of the flow. Its canary is only read if the list says that there was one. */
export async function readListed(
  flow: string,
  signal: AbortSignal,
): Promise<{ listed?: ListedFlowData; canary?: CanaryData }> {
  const listed = (await listFlows()).find(({ name }) => name === flow);
  if (listed?.canary === undefined) return { ...(listed && { listed }) };
  return { listed, canary: await readCanary(flow, signal) };
}

/** `etag` is that of the flow's file as the user last saw it. */
export const publishVersion = (flow: string, version: string, etag: string): Promise<unknown> =>
  request(`${pathOf(flow)}/publish`, { method: 'POST', headers: { 'if-match': quoted(etag) }, json: { version } });
