/**
 * Rooms: video rooms as far as telephones are concerned. Whoever calls in joins the mix of the room and hears the others
 * who called in; where rooms come from is a port, and the simulated engine behind it are those of the configuration.
 *
 * A visitor gives the room's id as the name of the place, or `*` and a `pin`, which then finds the room. It is told
 * `joined` ({room_id, name, mix_id, members}), `members`, `denied` ({reason}: `unknown`, `wrong_pin`, `too_many_tries`)
 * or `ended`.
 *
 * Invariants
 *  R1 a room with a PIN is entered with it, or by invitation (REST), which is for one call and one entry;
 *  R2 after a few wrong PINs a call is denied whatever it says; after many of a project, in a while, all its calls are,
 *     other than those that are invited: who guesses may call again and again.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { WindowCounter } from '../../core/window-counter.ts';
import type { Venue, VenueMember } from '../../runtime/venue.ts';
import { Visitors } from './members.ts';

export interface Room {
  roomId: string;
  projectId: string;
  name: string;
  pin?: string;
}

/** Port: the rooms there are. */
export interface RoomDirectory {
  find(projectId: string, roomId: string): Room | undefined;
  withPin(projectId: string, pin: string): Room | undefined;
}

export interface Rooms extends Venue {
  find(projectId: string, roomId: string): Room | undefined;
  /** Lets a call in without the PIN; forgotten when `gone` settles. */
  invite(roomId: string, callId: string, gone: Promise<unknown>): void;
  /** Who is there now, by call. */
  callsIn(projectId: string, roomId: string): string[];
}

/** The name that stands for whichever room has the PIN. */
const ANY_ROOM = '*';
const MOST_TRIES = 5;
const MOST_TRIES_OF_PROJECT = 100;
const TRIES_FORGOTTEN_MS = 600_000;
const LONGEST_PIN = 32;
/** Calls, and projects, whose wrong PINs are remembered. */
const MOST_REMEMBERED = 10_000;

interface Stay {
  key: string;
  callId: string;
  memberId: string;
}

/** The rooms of the configuration. */
export function configuredRooms(rooms: readonly Room[]): RoomDirectory {
  return {
    find: (projectId, roomId) => rooms.find((room) => room.projectId === projectId && room.roomId === roomId),
    withPin(projectId, pin) {
      let found: Room | undefined;
      // All are compared, so that the time does not tell how far one got.
      for (const room of rooms) if (room.projectId === projectId && isPin(room, pin)) found ??= room;
      return found;
    },
  };
}

export function createRooms({ clock, directory }: { clock: Clock; directory: RoomDirectory }): Rooms {
  return new RoomHalls(clock, directory);
}

class RoomHalls implements Rooms {
  readonly #directory: RoomDirectory;
  readonly #visitors: Visitors<Stay>;
  readonly #inside = new Map<string, Stay[]>();
  readonly #invited = new Set<string>();
  readonly #tries = new Map<string, number>();
  /** Wrong PINs of each project. */
  readonly #guesses: WindowCounter;

  constructor(clock: Clock, directory: RoomDirectory) {
    this.#directory = directory;
    this.#visitors = new Visitors(clock);
    this.#guesses = new WindowCounter(clock, { windowMs: TRIES_FORGOTTEN_MS, maxKeys: MOST_REMEMBERED });
  }

  find(projectId: string, roomId: string): Room | undefined {
    return this.#directory.find(projectId, roomId);
  }

  invite(roomId: string, callId: string, gone: Promise<unknown>): void {
    const invitation = `${callId} ${roomId}`;
    this.#invited.add(invitation);
    void gone.then(() => this.#invited.delete(invitation));
  }

  callsIn(projectId: string, roomId: string): string[] {
    return (this.#inside.get(keyOf(projectId, roomId)) ?? []).map(({ callId }) => callId);
  }

  enter(visitor: VenueMember): void {
    const { memberId, callId } = visitor;
    const found = this.#admitted(visitor);
    if ('reason' in found) {
      this.#visitors.add(visitor);
      this.#visitors.tell(memberId, 'denied', { reason: found.reason });
      return;
    }
    const { room } = found;
    const key = keyOf(room.projectId, room.roomId);
    const inside = this.#inside.get(key) ?? [];
    const stay: Stay = { key, callId, memberId };
    inside.push(stay);
    this.#inside.set(key, inside);
    this.#visitors.add(visitor, stay);
    const members = inside.length;
    this.#visitors.tell(memberId, 'joined', { room_id: room.roomId, name: room.name, mix_id: `room ${key}`, members });
    this.#count(inside, stay);
  }

  /** Nothing is asked of a room from inside. */
  tell(): void {}

  exit(memberId: string): void {
    const stay = this.#visitors.stayOf(memberId);
    this.#visitors.remove(memberId);
    if (!stay) return;
    const others = (this.#inside.get(stay.key) ?? []).filter((one) => one !== stay);
    if (others.length === 0) this.#inside.delete(stay.key);
    else this.#inside.set(stay.key, others);
    this.#count(others, stay);
  }

  #count(inside: readonly Stay[], mover: Stay): void {
    for (const stay of inside) {
      if (stay !== mover) this.#visitors.tell(stay.memberId, 'members', { members: inside.length });
    }
  }

  #admitted({ callId, projectId, name, options }: VenueMember): { room: Room } | { reason: string } {
    const tries = this.#tries.get(callId) ?? 0;
    if (tries >= MOST_TRIES) return { reason: 'too_many_tries' };
    const pin = typeof options['pin'] === 'string' ? options['pin'] : '';
    const room = name === ANY_ROOM ? this.#directory.withPin(projectId, pin) : this.#directory.find(projectId, name);
    if (!room && name !== ANY_ROOM) return { reason: 'unknown' };
    const open = room && (room.pin === undefined || this.#invited.delete(`${callId} ${room.roomId}`));
    if (!open && this.#guesses.count(projectId) >= MOST_TRIES_OF_PROJECT) return { reason: 'too_many_tries' };
    if (room && (open || isPin(room, pin))) {
      this.#tries.delete(callId);
      return { room };
    }
    // Without one, nothing was guessed.
    if (pin !== '') this.#guesses.add(projectId);
    if (this.#tries.size >= MOST_REMEMBERED) this.#tries.clear();
    this.#tries.set(callId, tries + 1);
    return { reason: 'wrong_pin' };
  }
}

const keyOf = (projectId: string, roomId: string): string => `${projectId} ${roomId}`;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const isPin = ({ pin }: Room, said: string): boolean =>
  pin !== undefined && said.length <= LONGEST_PIN && timingSafeEqual(digest(pin), digest(said));
