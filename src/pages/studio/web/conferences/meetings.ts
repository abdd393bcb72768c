/** Client for conferences and queues, and the actions on their members. Used by `conferences.tsx`. */

import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';

export interface Member {
  voice_id: string;
  from: string;
  to: string;
  state: 'joined' | 'waiting' | 'held';
  muted: boolean;
  hold: boolean;
  moderator: boolean;
  joined: string;
}

export interface ConferenceData {
  conference_id: string;
  name: string;
  state: 'initiated' | 'active';
  created: string;
  recording: boolean;
  participants: Member[];
}

export interface QueuedCallerData {
  voice_id: string;
  from: string;
  to: string;
  state: 'waiting' | 'ringing' | 'talking';
  agent?: string;
  since: string;
}

export interface Queue {
  name: string;
  waiting: number;
  callers: QueuedCallerData[];
}

export interface Meetings {
  conferences: ConferenceData[];
  queues: Queue[];
  /** Time of the service's clock. */
  atMs: number;
}

const CONFERENCES = '/voice/v1/conference';

export async function readMeetings(signal: AbortSignal): Promise<Meetings> {
  const [met, queued] = await Promise.all([
    request<{ conferences: ConferenceData[]; timestamp: string }>(CONFERENCES, { signal }),
    request<{ queues: Queue[] }>('/voice/v1/queue', { signal }),
  ]);
  return { conferences: met.conferences, queues: queued.queues, atMs: Date.parse(met.timestamp) };
}

const pathOf = (conference: ConferenceData): string => `${CONFERENCES}/${encodeURIComponent(conference.conference_id)}`;

export const changeMember = (
  conference: ConferenceData,
  { voice_id: id }: Member,
  change: { muted: boolean } | { hold: boolean },
): Promise<unknown> =>
  request(`${pathOf(conference)}/participant/${encodeURIComponent(id)}`, { method: 'PUT', json: change });

export const endConference = (conference: ConferenceData): Promise<unknown> =>
  request(pathOf(conference), { method: 'DELETE' });

export const hangUp = ({ voice_id: id }: { voice_id: string }): Promise<unknown> =>
  request(`/voice/v1/call/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** State of a queued caller, as text. */
export function wordsOfCaller({ state, agent }: QueuedCallerData, position: number): string {
  if (state === 'waiting') return position === 1 ? t('is next') : t('waits as number {position}', { position });
  return state === 'ringing'
    ? t('{agent} is being called', { agent: agent ?? t('an agent') })
    : t('talks with {agent}', { agent: agent ?? t('an agent') });
}

/** Callers with their positions. A caller who talks with an agent has position 0. */
export function placesOf({ callers }: Queue): { caller: QueuedCallerData; position: number }[] {
  let position = 0;
  return callers.map((caller) => ({ caller, position: caller.state === 'talking' ? 0 : ++position }));
}
