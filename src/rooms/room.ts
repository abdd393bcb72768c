/** Video rooms: what one is. Its settings have the names of the API, which are the same in the store and in reports. */
import type { JsonObject } from '../core/json.ts';

export type RoomRole = 'moderator' | 'participant' | 'viewer' | 'audience';

export interface RoomSettings {
  description?: string;
  mode: 'group' | 'lecture';
  scheduled: boolean;
  adhoc: boolean;
  /** `2026-03-02 09:30:00`, UTC. */
  scheduled_time?: string;
  /** Minutes. */
  duration?: number;
  moderators?: number;
  participants?: number;
  audiences: number;
  hls_view_url?: string;
  send_audiences_stats: boolean;
  auto_recording: boolean;
  screen_share: boolean;
  canvas: boolean;
  knock: boolean;
  wait_for_moderator: boolean;
  quality: 'HD' | 'SD' | 'LD';
  abwd: boolean;
  facex: boolean;
  max_active_talkers: number;
  single_file_recording: boolean;
  role_based_recording: { moderator: 'audiovideo' | 'audio'; participant: 'audiovideo' | 'audio' };
  live_recording: boolean | JsonObject;
  watermark: boolean;
  media_zone: 'IN' | 'SG' | 'US' | 'XX';
  billing_code: string;
}

export interface VideoRoom {
  roomId: string;
  projectId: string;
  name: string;
  ownerRef: string;
  settings: RoomSettings;
  /** Telephones may dial in: the digits that they enter. */
  sip?: { pin: string; meetingId?: string };
  data?: JsonObject;
  createdMs: number;
  /** Of an ad hoc room. */
  firstSessionMs?: number;
}

/** Unlike that of any other project's room. */
export const keyOf = ({ projectId, roomId }: Pick<VideoRoom, 'projectId' | 'roomId'>): string =>
  `${projectId} ${roomId}`;

/** One is always there, one at its time, and one for a single session. */
export type RoomType = 'permanent' | 'scheduled' | 'adhoc';

export const typeOf = ({ scheduled, adhoc }: Pick<RoomSettings, 'scheduled' | 'adhoc'>): RoomType =>
  scheduled ? 'scheduled' : adhoc ? 'adhoc' : 'permanent';
