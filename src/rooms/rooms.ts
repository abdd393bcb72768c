/**
 * The rooms of the projects: made, read, changed, removed. Rooms of the configuration are made at the start, where they are
 * not there yet; from then on they are rooms like others. Neighbours: `room-rules.ts` has what settings may be,
 * `room-tokens.ts` lets people in.
 *
 * Invariants
 *  - a change is for later sessions: a session keeps the settings that it began with;
 *  - a room is not removed while a session goes on in it; those who wait before its door are sent away;
 *  - an ad hoc room whose time is over is not there any more;
 *  - a room of the configuration is removed there, or it would be back after a restart;
 *  - PINs of the configuration are not written down: they may be secrets of the environment.
 */
import type { Clock } from '../core/clock.ts';
import type { Ids } from '../core/ids.ts';
import { defined, type JsonObject } from '../core/json.ts';
import { applicable } from './ignored-settings.ts';
import { keyOf, type RoomSettings, type VideoRoom } from './room.ts';
import { RoomError } from './room-error.ts';
import { changedSettings, checkSettings, checkTimeToCome, isSpent } from './room-rules.ts';
import type { RoomPage, RoomStore } from './room-store.ts';

export interface NewRoom {
  /** Chosen by the configuration; else made here. */
  roomId?: string;
  name: string;
  ownerRef: string;
  /** Without a quality it is the best that rooms may have. */
  settings: Omit<RoomSettings, 'quality'> & Partial<Pick<RoomSettings, 'quality'>>;
  /** Whether telephones may dial in. */
  sip: boolean;
  pin?: string;
  data?: JsonObject;
}

export interface RoomChange {
  name?: string;
  ownerRef?: string;
  /** Those that change. */
  settings?: JsonObject;
  sip?: boolean;
  data?: JsonObject;
}

export interface RoomsParts {
  store: RoomStore;
  clock: Clock;
  ids: Ids;
  /** In [0, 1), not to be guessed. */
  random(): number;
  /** The best that rooms may have. */
  maxQuality: RoomSettings['quality'];
  isActive(projectId: string, roomId: string): boolean;
  /** A room was made, or changed. */
  written?(room: VideoRoom): void;
  /** The room is gone. */
  removed(projectId: string, roomId: string): void;
}

/** Digits of a PIN, and of a meeting id. */
const PIN_DIGITS = 6;
const MEETING_ID_DIGITS = 9;
/** Some are taken. */
const MAX_TRIES = 20;

export type Rooms = ReturnType<typeof createRooms>;

export function createRooms({ store, clock, ids, random, maxQuality, isActive, written, removed }: RoomsParts) {
  /** PINs of the configuration, by project and room. */
  const pins = new Map<string, string>();
  /** The rooms of the configuration, with a PIN or without. */
  const configured = new Set<string>();

  const withPin = (room: VideoRoom): VideoRoom => {
    const pin = pins.get(keyOf(room));
    return pin === undefined ? room : { ...room, sip: { pin } };
  };

  const lookUp = (projectId: string, roomId: string): VideoRoom | undefined => {
    const room = store.find(projectId, roomId);
    return room && isThere(room) ? withPin(room) : undefined;
  };

  /** Spent rooms go when somebody looks. */
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

  /** Without a leading zero: they are numbers in the API. */
  const digits = (count: number): string => String(Math.floor((0.1 + random() * 0.9) * 10 ** count));

  const dialIn = (): VideoRoom['sip'] => ({ pin: digits(PIN_DIGITS), meetingId: digits(MEETING_ID_DIGITS) });

  /** Writes a room that telephones dial into, with digits that no other room has. */
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
    /** Makes the rooms that the configuration names, unless they are there. Their PINs are those of the configuration. */
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
      if (isActive(projectId, roomId)) throw new RoomError('room_active', 'a session goes on in the room');
      store.remove(projectId, roomId);
      removed(projectId, roomId);
    },
    /** Undefined: there is none. */
    lookUp,
    withPin(projectId: string, pin: string): VideoRoom | undefined {
      const [key] = [...pins].find(([place, known]) => place.startsWith(`${projectId} `) && known === pin) ?? [];
      return key === undefined ? store.withPin(projectId, pin) : lookUp(projectId, key.slice(projectId.length + 1));
    },
  };
}
