/** Call detail record (CDR) of one participant of a session. */
import type { JsonObject } from '../../base/core/json.ts';
import type { Participant } from './participant.ts';
import type { VideoRoom } from './room.ts';
import type { SessionQuery } from './session-query.ts';

export interface CallDetail {
  cdrId: string;
  projectId: string;
  roomId: string;
  confNum: string;
  /** Time of writing: the end of the connection. */
  atMs: number;
  /** Body as the API returns it. */
  body: JsonObject;
}

export interface CallDetailPage {
  details: CallDetail[];
  next?: number;
}

/** Rating by a participant, from 1 to 5. */
export interface Feedback {
  rating: number;
  text?: string;
}

/** Port. Durable when it returns. */
export interface CallDetailStore {
  add(detail: CallDetail): void;
  /** Adds `feedback` to the body of a detail; without effect if it is not stored. */
  addFeedback(detail: Pick<CallDetail, 'cdrId' | 'confNum'>, feedback: Feedback): void;
  /** In the order of writing. */
  list(query: SessionQuery): CallDetailPage;
}

const MINUTE_S = 60;

/** Seconds, rounded up. */
const seconds = (ms: number): number => Math.ceil(ms / 1000);

export function callDetailOf(
  participant: Participant,
  { room, confNum, cdrId, atMs }: { room: VideoRoom; confNum: string; cdrId: string; atMs: number },
): CallDetail {
  const { id, name, userRef, role, isPhone, usage, quality, address, agent, serverAddress, joinedMs } = participant;
  const { projectId, roomId } = room;
  const connectedMs = atMs - joinedMs;
  const connected = seconds(connectedMs);
  const times = { connect_dt: iso(joinedMs), disconnect_dt: iso(atMs) };
  const receivedMs = role === 'audience' ? Math.min(usage.watchedMs, connectedMs) : connectedMs;
  return {
    ...{ cdrId, projectId, roomId, confNum, atMs },
    body: {
      trans_date: iso(atMs),
      conf_num: confNum,
      sip: isPhone,
      call_num: id,
      call_log_id: id,
      parent_partner_id: projectId,
      app_id: projectId,
      cdr_id: cdrId,
      ...{ lowcode: false, video_embed: false, visual_builder: false },
      room: { room_id: roomId, ...times, duration: connected, room_details: detailsOf(room), sip: isPhone },
      user: { role, ip: address, name, ref: userRef, agent },
      sigserver: { ...times, ip: serverAddress, duration: connected, hold_duration: 0 },
      published_track: {
        audio: usage.hasPublished('audio'),
        data: false,
        video: usage.hasPublished('video'),
        screen: usage.hasPublished('screen'),
        url: false,
      },
      usage: {
        subscribed_minutes: seconds(receivedMs),
        published_minutes: seconds(usage.publishedMs),
        screen_minutes: seconds(usage.screenMs),
        connect_minutes: connected,
        connect_minutes_cal: Math.ceil(connected / MINUTE_S),
        room_connect_minutes: connected,
      },
      stats_quality: quality.report,
    },
  };
}

/** Without the PIN and the meeting id, which admit phones. */
function detailsOf({ roomId, name, ownerRef, settings, sip, data, createdMs }: VideoRoom): JsonObject {
  return {
    ...{ room_id: roomId, name, owner_ref: ownerRef, settings: { ...settings } },
    sip: { enabled: sip !== undefined },
    ...(data === undefined ? {} : { data }),
    created: iso(createdMs),
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();
