/** The service's routes for canaries: a version that takes a part of a flow's calls. Neighbour: `canary-figures.ts`. */
import { request } from '../api.ts';
import { type ListedFlow, listFlows, quoted } from '../flows/flow-api.ts';
import { pathOf } from './version-api.ts';

/** The calls that one of the two versions took since the canary began. */
export interface CanarySide {
  version: string;
  calls: number;
  errors: number;
  abandoned: number;
  /** By `step outcome`. */
  exits: Readonly<Record<string, number>>;
}

export interface Compared {
  in_force: CanarySide;
  canary: CanarySide;
}

/** When it goes back by itself; points are those of percentages. */
export interface BackWhen {
  errors_worse_by: number;
  abandoned_worse_by: number;
  after_calls: number;
}

export interface WantedCanary {
  version: string;
  percent: number;
  /** All of the flow without it. */
  numbers?: string[];
  back_when: BackWhen;
}

export interface Canary extends WantedCanary {
  since: string;
  state: 'on' | 'returned' | 'stopped';
  ended?: { at: string; why: string; by?: string };
  compared: Compared;
}

/** What the schema has where nothing is said. */
export const BACK_WHEN: Readonly<BackWhen> = { errors_worse_by: 5, abandoned_worse_by: 10, after_calls: 20 };

type Answer = Omit<Canary, 'back_when'> & { back_when?: Partial<BackWhen> };

const whole = ({ back_when, ...canary }: Answer): Canary => ({ ...canary, back_when: { ...BACK_WHEN, ...back_when } });
const canaryOf = (flow: string): string => `${pathOf(flow)}/canary`;

export const readCanary = async (flow: string, signal?: AbortSignal): Promise<Canary> =>
  whole(await request<Answer>(canaryOf(flow), { signal }));

/** Begins one, or changes the one that is on. */
export const writeCanary = async (flow: string, wanted: WantedCanary): Promise<Canary> =>
  whole(await request<Answer>(canaryOf(flow), { method: 'PUT', json: wanted }));

/** Back at once: new calls take the version in force. */
export const endCanary = (flow: string): Promise<unknown> => request(canaryOf(flow), { method: 'DELETE' });

/** The flow as the list has it; its canary is read only where it says that there was one. */
export async function readListed(flow: string, signal: AbortSignal): Promise<{ listed?: ListedFlow; canary?: Canary }> {
  const listed = (await listFlows()).find(({ name }) => name === flow);
  if (listed?.canary === undefined) return { ...(listed && { listed }) };
  return { listed, canary: await readCanary(flow, signal) };
}

/** `etag`: of the flow's file as one has seen it. */
export const publishVersion = (flow: string, version: string, etag: string): Promise<unknown> =>
  request(`${pathOf(flow)}/publish`, { method: 'POST', headers: { 'if-match': quoted(etag) }, json: { version } });
