/** Data of a video room. The settings have the names of the API, in the store and in reports too. */
import { defined, type JsonObject } from '../../base/core/json.ts';
import type { ServerMessages } from '../../base/core/room-messages.ts';

export type RoomRole = 'moderator' | 'participant' | 'viewer' | 'audience';

export interface RoomSettings {
  description?: string;
  mode: 'group' | 'lecture';
  scheduled: boolean;
  adhoc: boolean;
  /** `2026-03-02 09:30:00`, UTC. */
  scheduled_time?: string;
  /** In minutes. */
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
  /** Absent from rooms of earlier versions. */
  feedback?: boolean;
  /** Roles for which moderators may create links. Absent from rooms of earlier versions. */
  invitations?: RoomRole[];
  /** Language of the speech. Absent: no captions. */
  captions?: string;
  /** Absent from rooms of earlier versions. */
  keep_captions?: boolean;
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
  /** Digits that phones enter. Absent if phones may not dial in. */
  sip?: { pin: string; meetingId?: string };
  data?: JsonObject;
  createdMs: number;
  /** Start of the first session of an ad hoc room. */
  firstSessionMs?: number;
}

/** Key that is unique across projects. */
export const keyOf = ({ projectId, roomId }: Pick<VideoRoom, 'projectId' | 'roomId'>): string =>
  `${projectId} ${roomId}`;

/** Room as an invitation to it shows it. */
export const shownRoom = ({ roomId, name, settings: { mode, description } }: VideoRoom) =>
  defined<ServerMessages['invited']['room']>({ room_id: roomId, name, mode, description });

/** `permanent`: always there; `scheduled`: at its time; `adhoc`: for a single session. */
export type RoomType = 'permanent' | 'scheduled' | 'adhoc';

export const typeOf = ({ scheduled, adhoc }: Pick<RoomSettings, 'scheduled' | 'adhoc'>): RoomType =>
  scheduled ? 'scheduled' : adhoc ? 'adhoc' : 'permanent';
