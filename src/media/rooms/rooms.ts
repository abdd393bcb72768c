/**
 * Rooms of the projects: create, read, change, remove. Rooms of the configuration are created at the start if they do
 * not exist, and then are rooms like others. `room-rules.ts` checks settings, `room-tokens.ts` admits participants.
 *
 * Invariants
 *  - a change applies to later sessions: a session keeps the settings that it started with;
 *  - a room with an active session cannot be removed; removing a room sends away the participants in its lobby;
 *  - an ad hoc room whose time has ended does not exist any more;
 *  - a room of the configuration can be removed only there, because a restart would create it again;
 *  - PINs of the configuration are not stored: they may be secrets from the environment.
 */
import type { Clock } from '../../base/core/clock.ts';
import type { Ids } from '../../base/core/ids.ts';
import { defined, type JsonObject } from '../../base/core/json.ts';
import { applicable } from './ignored-settings.ts';
import { keyOf, type RoomSettings, type VideoRoom } from './room.ts';
import { RoomError } from './room-error.ts';
import { changedSettings, checkSettings, checkTimeToCome, isSpent } from './room-rules.ts';
import type { RoomPage, RoomStore } from './room-store.ts';

export interface NewRoom {
  /** Id from the configuration; generated if absent. */
  roomId?: string;
  name: string;
  ownerRef: string;
  /** Without a quality, the maximum quality is used. */
  settings: Omit<RoomSettings, 'quality'> & Partial<Pick<RoomSettings, 'quality'>>;
  /** True if phones may dial in. */
  sip: boolean;
  pin?: string;
  data?: JsonObject;
}

export interface RoomChange {
  name?: string;
  ownerRef?: string;
  /** Only the settings that change. */
  settings?: JsonObject;
  sip?: boolean;
  data?: JsonObject;
}

export interface RoomsParts {
  store: RoomStore;
  clock: Clock;
  ids: Ids;
  /** Returns a number in [0, 1) that cannot be guessed. */
  random(): number;
  /** Maximum quality of rooms. */
  maxQuality: RoomSettings['quality'];
  isActive(projectId: string, roomId: string): boolean;
  /** Called after a room was created or changed. */
  written?(room: VideoRoom): void;
  /** Called after a room was removed. */
  removed(projectId: string, roomId: string): void;
}

/** Number of digits of a PIN and of a meeting id. */
const PIN_DIGITS = 6;
const MEETING_ID_DIGITS = 9;
/** A random PIN or meeting id may be taken already. */
const MAX_TRIES = 20;

export type Rooms = ReturnType<typeof createRooms>;

export function createRooms({ store, clock, ids, random, maxQuality, isActive, written, removed }: RoomsParts) {
  /** PINs of the configuration, by project and room. */
  const pins = new Map<string, string>();
  /** Keys of the rooms of the configuration, with a PIN or without. */
  const configured = new Set<string>();

  const withPin = (room: VideoRoom): VideoRoom => {
    const pin = pins.get(keyOf(room));
    return pin === undefined ? room : { ...room, sip: { pin } };
  };

  const lookUp = (projectId: string, roomId: string): VideoRoom | undefined => {
    const room = store.find(projectId, roomId);
    return room && isThere(room) ? withPin(room) : undefined;
  };

  /** Expired ad hoc rooms are removed when they are looked up. */
  function isThere(room: VideoRoom): boolean {
    const { projectId, roomId } = room;
    if (!isSpent(room, clock.now()) || isActive(projectId, roomId)) return true;
    store.remove(projectId, roomId);
    removed(projectId, roomId);
    return false;
  }

  const find = (projectId: string, roomId: string): VideoRoom => {
    const room = lookUp(projectId, roomId);
    if (!room) throw new RoomError('room_unknown', `there is no room ${roomId.slice(0, 64)}`);
    return room;
  };

  const withQuality = (settings: NewRoom['settings']): RoomSettings => ({ quality: maxQuality, ...settings });

  /** Without a leading zero, because they are numbers in the API. */
  const digits = (count: number): string => String(Math.floor((0.1 + random() * 0.9) * 10 ** count));

  const dialIn = (): VideoRoom['sip'] => ({ pin: digits(PIN_DIGITS), meetingId: digits(MEETING_ID_DIGITS) });

  /** Stores a room for dial-in, with digits that no other room has. */
  function writeWithDigits(room: VideoRoom, put: (room: VideoRoom) => boolean): VideoRoom {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const made = { ...room, sip: dialIn() };
      if (put(made)) return made;
    }
    throw new Error('no free PIN was found for a room');
  }

  function make(projectId: string, order: NewRoom): VideoRoom {
    const { roomId = ids.next('room'), name, ownerRef, sip, data } = order;
    const settings = applicable(withQuality(order.settings));
    checkSettings(settings, maxQuality);
    checkTimeToCome(settings, clock.now());
    const room = defined<VideoRoom>({ roomId, projectId, name, ownerRef, settings, data, createdMs: clock.now() });
    written?.(room);
    if (sip) return writeWithDigits(room, store.create);
    store.create(room);
    return room;
  }

  return {
    find,
    create: make,
    /** Creates the rooms of the configuration that do not exist, and takes their PINs from it. */
    configure(named: readonly (NewRoom & { projectId: string; roomId: string })[]): void {
      for (const { projectId, roomId, settings, name, ownerRef } of named) {
        const room = { roomId, projectId, name, ownerRef, settings: withQuality(settings), createdMs: clock.now() };
        if (!store.find(projectId, roomId)) store.create(room);
      }
      pins.clear();
      configured.clear();
      for (const room of named) {
        configured.add(keyOf(room));
        if (room.pin !== undefined) pins.set(keyOf(room), room.pin);
      }
    },
    list(query: { projectId?: string; limit: number; after?: number }): RoomPage {
      const { rooms, ...more } = store.list(query);
      return { rooms: rooms.filter(isThere).map(withPin), ...more };
    },
    change(projectId: string, roomId: string, change: RoomChange): VideoRoom {
      const room = find(projectId, roomId);
      const { name = room.name, ownerRef = room.ownerRef, data = room.data } = change;
      const settings = applicable(changedSettings(room, change.settings ?? {}, clock.now()));
      checkSettings(settings, maxQuality);
      if (settings.scheduled_time !== room.settings.scheduled_time) checkTimeToCome(settings, clock.now());
      const hasFixedPin = pins.has(keyOf(room));
      if (hasFixedPin && change.sip === false) {
        throw new RoomError('configured', 'the PIN of this room is in the configuration file');
      }
      const { sip, ...rest } = room;
      const changed = defined<VideoRoom>({ ...rest, name, ownerRef, data, settings });
      written?.(changed);
      const dials = change.sip ?? sip !== undefined;
      if (dials && sip === undefined) return writeWithDigits(changed, store.replace);
      const kept = defined<VideoRoom>({ ...changed, sip: dials ? sip : undefined });
      store.replace(hasFixedPin ? changed : kept);
      return kept;
    },
    remove(projectId: string, roomId: string): void {
      find(projectId, roomId);
      if (configured.has(keyOf({ projectId, roomId }))) {
        const hint = 'remove it there, and reload the configuration';
        throw new RoomError('configured', 'this room is in the configuration file', hint);
      }
      if (isActive(projectId, roomId)) throw new RoomError('room_active', 'the room has an active session');
      store.remove(projectId, roomId);
      removed(projectId, roomId);
    },
    /** Undefined if there is no such room. */
    lookUp,
    withPin(projectId: string, pin: string): VideoRoom | undefined {
      const [key] = [...pins].find(([place, known]) => place.startsWith(`${projectId} `) && known === pin) ?? [];
      return key === undefined ? store.withPin(projectId, pin) : lookUp(projectId, key.slice(projectId.length + 1));
    },
  };
}
