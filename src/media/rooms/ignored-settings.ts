/**
 * Requested settings that have no effect. Settings that do not apply to the type of the room are removed from it;
 * settings that the service does not implement are stored, because reports return them. The API lists both.
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import { type RoomSettings, typeOf } from './room.ts';

/** Maximum number of participants of a room that is recorded in a single file. */
const SINGLE_FILE_PEOPLE = 2;

/** Returns the settings that apply. */
export function applicable({ duration, ...settings }: RoomSettings): RoomSettings {
  const single = settings.single_file_recording && (settings.participants ?? 0) <= SINGLE_FILE_PEOPLE;
  const isTimed = typeOf(settings) !== 'permanent' && duration !== undefined;
  return { ...settings, single_file_recording: single, ...(isTimed && { duration }) };
}

/** Returns true for values that request a feature that is not implemented. */
const WITHOUT_EFFECT: Readonly<Record<string, (value: Json) => boolean>> = {
  // Quality is always adapted to the link of each participant.
  abwd: (value) => value === false,
  canvas: Boolean,
  facex: Boolean,
  live_recording: Boolean,
  media_zone: (value) => value !== 'XX',
  watermark: Boolean,
};

const MAX_NAMES = 50;
const MAX_NAME_LENGTH = 64;

/** Names of the given settings that have no effect on a room with these settings. */
export function ignoredSettings(given: JsonObject, settings: RoomSettings): string[] {
  const kept: Readonly<Record<string, unknown>> = { ...settings };
  const isIgnored = ([name, value]: [string, Json]): boolean =>
    !Object.hasOwn(kept, name) ||
    (name === 'single_file_recording' && value !== kept[name]) ||
    (Object.hasOwn(WITHOUT_EFFECT, name) && WITHOUT_EFFECT[name]!(value));
  const names = Object.entries(given).filter(isIgnored);
  return names.slice(0, MAX_NAMES).map(([name]) => name.slice(0, MAX_NAME_LENGTH));
}
