/**
 * Checks the settings of a room as a whole: those that depend on its type, its capacity, and its opening times. The
 * schema of the request has checked each setting alone, and filled in its default.
 */
import { isObject, type JsonObject } from '../../base/core/json.ts';
import { type RoomRole, type RoomSettings, type RoomType, typeOf, type VideoRoom } from './room.ts';
import { RoomError } from './room-error.ts';

const MINUTE_MS = 60_000;
/** Time before its start at which a scheduled room opens, and from which its settings are fixed. */
export const OPEN_BEFORE_MS = 30 * MINUTE_MS;
/** Maximum number of received streams in a permanent or ad hoc room: participants × active talkers. */
const MAX_STREAMS = 1600;
const MAX_SCHEDULED = { group: 300, lecture: 1000 };
const QUALITIES = ['LD', 'SD', 'HD'] as const;
const FIXED_KEYS = ['mode', 'scheduled', 'adhoc'] as const;

/** Throws a `RoomError`. `maxQuality` is the maximum quality of the project. */
export function checkSettings(settings: RoomSettings, maxQuality: RoomSettings['quality']): void {
  if (settings.scheduled && settings.adhoc) {
    throw new RoomError('room_adhoc_invalid', 'settings.adhoc: a room is scheduled or ad hoc, not both');
  }
  checkTimes(settings);
  checkPeople(settings);
  if (QUALITIES.indexOf(settings.quality) > QUALITIES.indexOf(maxQuality)) {
    throw new RoomError('room_quality_refused', `settings.quality: rooms of this project have at most ${maxQuality}`);
  }
}

function checkTimes({ scheduled_time: time, duration, ...settings }: RoomSettings): void {
  const type = typeOf(settings);
  if (type !== 'scheduled' && time !== undefined) throw misplaced('scheduled_time', type);
  if (type !== 'scheduled') return;
  if (time === undefined) {
    const hint = 'such as "2026-03-02 09:30:00", UTC';
    throw new RoomError('room_time_missing', 'settings.scheduled_time is required for a scheduled room', hint);
  }
  if (timeOf(time) === undefined) {
    throw new RoomError(
      'room_time_malformed',
      'settings.scheduled_time: must be year-month-day hour:minute:second, UTC',
      'such as "2026-03-02 09:30:00"',
    );
  }
  if (duration === undefined) {
    throw new RoomError('room_duration_invalid', 'settings.duration is required for a scheduled room: minutes');
  }
}

const misplaced = (key: string, type: RoomType): RoomError =>
  new RoomError('room_setting_misplaced', `settings.${key}: is not for ${type} rooms`);

function checkPeople(settings: RoomSettings): void {
  const { participants, moderators, max_active_talkers: talkers } = settings;
  const most = mostPeople(settings);
  if (participants !== undefined && participants > most) {
    const because = typeOf(settings) === 'scheduled' ? '' : ` where ${talkers} are heard at once`;
    const hint = because === '' ? undefined : 'fewer max_active_talkers make room for more';
    throw new RoomError('room_participants_invalid', `settings.participants: at most ${most}${because}`, hint);
  }
  if (moderators !== undefined && moderators > (participants ?? most)) {
    const message = `settings.moderators: the room is for ${participants ?? most} people`;
    throw new RoomError('room_moderators_invalid', message);
  }
}

/** Maximum number of participants at a time, by type of the room. */
function mostPeople(settings: RoomSettings): number {
  if (typeOf(settings) === 'scheduled') return MAX_SCHEDULED[settings.mode];
  return Math.floor(MAX_STREAMS / settings.max_active_talkers);
}

/** True if a full room exceeds a session in which `people` participants all receive each other. */
export function isBeyond({ participants = 0, max_active_talkers: talkers }: RoomSettings, people: number): boolean {
  return participants * Math.min(participants, talkers) > people ** 2;
}

/**
 * Returns why one more participant of this role does not fit among those inside and in the lobby. If the room waits for
 * a moderator, one position is reserved for a moderator.
 */
export function placeMissing(
  role: RoomRole,
  everybody: readonly { role: RoomRole }[],
  settings: RoomSettings,
  hasModerator: boolean,
): 'full' | 'moderators_full' | undefined {
  const { audiences, knock, wait_for_moderator: waits, moderators: mostModerators = Infinity } = settings;
  const people = everybody.filter((one) => one.role !== 'audience');
  if (role === 'audience') return everybody.length - people.length >= audiences ? 'full' : undefined;
  const isKept = role !== 'moderator' && (knock || waits) && !hasModerator;
  const capacity = settings.participants ?? mostPeople(settings);
  if (people.length >= capacity - (isKept ? 1 : 0)) return 'full';
  const moderators = people.filter((one) => one.role === 'moderator').length;
  return role === 'moderator' && moderators >= mostModerators ? 'moderators_full' : undefined;
}

/** Milliseconds since 1970; undefined if the text is not a valid time. */
export function timeOf(written: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(written)) return undefined;
  const iso = `${written.replace(' ', 'T')}.000Z`;
  const ms = Date.parse(iso);
  // `Date.parse` accepts 30 February as 2 March.
  return !Number.isNaN(ms) && new Date(ms).toISOString() === iso ? ms : undefined;
}

/** Throws if the time of a new room, or the new time of a room, is in the past. */
export function checkTimeToCome({ scheduled_time: time }: RoomSettings, nowMs: number): void {
  const startMs = time === undefined ? undefined : timeOf(time);
  if (startMs !== undefined && startMs < nowMs) {
    throw new RoomError('room_time_past', 'settings.scheduled_time: is in the past');
  }
}

/** Returns the settings after a change; throws if the change is not allowed. */
export function changedSettings(room: VideoRoom, change: JsonObject, nowMs: number): RoomSettings {
  for (const key of FIXED_KEYS) {
    if (change[key] !== undefined && change[key] !== room.settings[key]) {
      throw new RoomError('room_type_fixed', `settings.${key}: the type of a room cannot be changed`);
    }
  }
  const { startMs } = opening(room.settings);
  if (startMs !== undefined && nowMs > startMs - OPEN_BEFORE_MS) {
    throw new RoomError('room_active', 'a scheduled room cannot be changed from 30 minutes before its time');
  }
  const merged: JsonObject = { ...room.settings };
  for (const [key, value] of Object.entries(change)) {
    const known = merged[key];
    merged[key] = isObject(value) && isObject(known) ? { ...known, ...value } : value;
  }
  return merged as unknown as RoomSettings;
}

/** Start and end of a scheduled room. */
export function opening({ scheduled_time: time, duration }: RoomSettings): { startMs?: number; endMs?: number } {
  const startMs = time === undefined ? undefined : timeOf(time);
  return startMs === undefined ? {} : { startMs, endMs: startMs + (duration ?? 0) * MINUTE_MS };
}

/** Throws outside the opening times. An active session keeps the room open. */
export function checkOpen(room: VideoRoom, nowMs: number, isActive: boolean): void {
  const { startMs } = opening(room.settings);
  if (startMs !== undefined && nowMs < startMs - OPEN_BEFORE_MS) {
    const from = new Date(startMs - OPEN_BEFORE_MS).toISOString();
    throw new RoomError('room_not_open', `the room opens 30 minutes before its time: ${from}`);
  }
  if (isOver(room, nowMs) && !isActive) throw new RoomError('room_over', 'the time of the room is over');
}

/** True if a scheduled room has ended, or an ad hoc room that had its session. */
function isOver(room: VideoRoom, nowMs: number): boolean {
  const endMs = opening(room.settings).endMs ?? adhocEndMs(room);
  return endMs !== undefined && nowMs >= endMs;
}

/**
 * True if the time of an ad hoc room has ended: its duration, counted from its first session. Without a duration, the
 * room lasts for that session.
 */
export const isSpent = (room: VideoRoom, nowMs: number): boolean => nowMs >= (adhocEndMs(room) ?? Infinity);

function adhocEndMs({ settings, firstSessionMs }: VideoRoom): number | undefined {
  if (typeOf(settings) !== 'adhoc' || firstSessionMs === undefined) return undefined;
  return firstSessionMs + (settings.duration ?? 0) * MINUTE_MS;
}
