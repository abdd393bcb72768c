/** Client for video rooms, and the actions on their sessions. Used by `rooms.tsx`. */

import { t } from '../../../shared/web/words/translate.ts';
import { project, request } from '../api.ts';

export interface RoomUser {
  call_num: string;
  name: string;
  role: string;
  sip: boolean;
  state: 'in' | 'away' | 'waiting' | 'knocking';
  since: string;
  published: string[];
  hard_muted: string[];
  talking: boolean;
  poor_link: boolean;
  call_quality: string;
}

export interface ListedRoom {
  app_id: string;
  room_id: string;
  name: string;
  type: 'permanent' | 'scheduled' | 'adhoc';
  mode: string;
  /** True if phones can dial in. */
  sip: boolean;
  session: { conf_num: string; since?: string; engine: string; recording: boolean; users: number } | null;
}

export interface LiveRoom {
  room: ListedRoom;
  users: RoomUser[];
}

export interface VideoRooms {
  live: LiveRoom[];
  quiet: ListedRoom[];
  /** Time of the service's clock. */
  atMs: number;
}

export interface Report {
  cdr_id: string;
  conf_num: string;
  sip: boolean;
  room: { connect_dt: string; duration: number };
  user: { name: string; role: string };
  stats_quality: { call_quality: string };
}

const ROOMS = '/admin/v1/rooms';
const DAYS_MS = 7 * 86_400_000;

export const pathOf = ({ app_id: app, room_id: room }: Pick<ListedRoom, 'app_id' | 'room_id'>): string =>
  `${ROOMS}/${encodeURIComponent(app)}/${encodeURIComponent(room)}`;
const userPath = (room: ListedRoom, { call_num: id }: RoomUser): string =>
  `${pathOf(room)}/users/${encodeURIComponent(id)}`;

export async function readRooms(signal: AbortSignal): Promise<VideoRooms> {
  const { rooms, timestamp } = await request<{ rooms: ListedRoom[]; timestamp: string }>(`${ROOMS}?limit=500`, {
    signal,
  });
  const shown = rooms.filter(({ app_id: app }) => project.value === undefined || app === project.value);
  const live = shown.filter(({ session }) => session !== null);
  return {
    live: await Promise.all(live.map(async (room) => ({ room, users: await usersOf(room, signal) }))),
    quiet: shown.filter(({ session }) => session === null),
    atMs: Date.parse(timestamp),
  };
}

const usersOf = async (room: ListedRoom, signal: AbortSignal): Promise<RoomUser[]> =>
  (await request<{ users: RoomUser[] }>(pathOf(room), { signal })).users;

/** Reports of the last week, newest first. */
export async function readReports(room: ListedRoom, atMs: number, signal: AbortSignal): Promise<Report[]> {
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const path = `/video/v2/cdr/room-period/${encodeURIComponent(room.room_id)}/${day(atMs - DAYS_MS)}/${day(atMs)}`;
  const headers = { 'x-callweave-project': room.app_id };
  const { cdr } = await request<{ cdr: Report[] }>(`${path}?limit=500`, { signal, headers });
  return cdr.reverse();
}

export const isInside = ({ state }: RoomUser): boolean => state === 'in' || state === 'away';

export const isMuted = ({ hard_muted: muted }: RoomUser): boolean => muted.includes('audio');

export const muteUser = (room: ListedRoom, user: RoomUser, muted: boolean): Promise<unknown> =>
  request(userPath(room, user), { method: 'PUT', json: { muted } });

const lobbyPath = (room: ListedRoom, { call_num: id }: RoomUser): string =>
  `${pathOf(room)}/lobby/${encodeURIComponent(id)}`;

/** Admits a participant from the lobby. */
export const admitUser = (room: ListedRoom, user: RoomUser): Promise<unknown> =>
  request(lobbyPath(room, user), { method: 'PUT' });
export const denyUser = (room: ListedRoom, user: RoomUser): Promise<unknown> =>
  request(lobbyPath(room, user), { method: 'DELETE' });

export const dropUser = (room: ListedRoom, user: RoomUser): Promise<unknown> =>
  request(userPath(room, user), { method: 'DELETE' });

export const endSession = (room: ListedRoom): Promise<unknown> =>
  request(`${pathOf(room)}/session`, { method: 'DELETE' });

const STATES = {
  in: t('is in'),
  away: t('link is down'),
  waiting: t('waits for a moderator'),
  knocking: t('knocks'),
} as const;

export const wordsOfUser = ({ state, talking }: RoomUser): string => (talking ? t('talks') : STATES[state]);
