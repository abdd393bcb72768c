/**
 * Rooms: video rooms, as far as telephones are concerned. Callers join the mix of the room and hear each other. Two ports:
 * which rooms there are, and the door, behind which a room's session decides who may come in, and who is muted.
 *
 * A member gives the id of a room, or `*` and a `pin`, which then finds the room. It receives `waiting` while it has to,
 * then `joined` ({room_id, name, mix_id, members}), `members`, `muted` ({muted}); or `denied` ({reason}: `unknown`,
 * `wrong_pin`, `too_many_tries`, `by_moderator`), `full`, `ended`, or `removed` by a moderator.
 *
 * Invariants
 *  R1 a room with a PIN is entered with the PIN, or by invitation (REST), which is for one call and one entry;
 *  - after a few wrong PINs a call is denied whatever it enters. After many wrong PINs of a project within a while all
 *     calls of the project are denied, except those that are invited: an attacker may call again and again.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json.ts';
import { mixOfRoom } from '../../core/room-mix.ts';
import { WindowCounter } from '../../core/window-counter.ts';
import type { PhoneVisit } from '../../rooms/phones.ts';
import type { Venue, VenueMember } from '../../runtime/venue.ts';
import { type GroupMember, groupOf, Members } from './members.ts';

export interface Room {
  roomId: string;
  projectId: string;
  name: string;
  pin?: string;
}

/** Port: which rooms exist. */
export interface RoomDirectory {
  find(projectId: string, roomId: string): Room | undefined;
  withPin(projectId: string, pin: string): Room | undefined;
}

/** Port: the session of a room, in which telephones are people like others. */
export interface RoomDoor {
  /** `visit` may be called before it returns, and is not called after `leave`. */
  enter(room: Room, caller: RoomCaller, visit: PhoneVisit): { leave(): void };
}

export interface RoomCaller {
  callId: string;
  /** Whose sound it is. */
  legId: string;
  /** What the others see. */
  name: string;
}

/** Everybody who comes is in. */
const openDoor: RoomDoor = {
  enter(_room, _caller, visit) {
    visit.isIn();
    return { leave: () => undefined };
  },
};

/** The name that stands for whichever room has the PIN. */
const ANY_ROOM = '*';
const MAX_TRIES = 5;
const MAX_TRIES_OF_PROJECT = 100;
const TRIES_FORGOTTEN_MS = 600_000;
const MAX_PIN_LENGTH = 32;
/** Calls, and projects, whose wrong PINs are remembered. */
const MAX_REMEMBERED = 10_000;

/** The rooms of the configuration. */
export function configuredRooms(rooms: readonly Room[]): RoomDirectory {
  return {
    find: (projectId, roomId) => rooms.find((room) => room.projectId === projectId && room.roomId === roomId),
    withPin(projectId, pin) {
      let found: Room | undefined;
      // All rooms are compared, so that the time that it takes reveals nothing.
      for (const room of rooms) if (room.projectId === projectId && isPin(room, pin)) found ??= room;
      return found;
    },
  };
}

export class Rooms implements Venue {
  readonly #directory: RoomDirectory;
  readonly #door: RoomDoor;
  readonly #members: Members<RoomMember>;
  readonly #invited = new Set<string>();
  /** Wrong PINs by call. */
  readonly #tries = new Map<string, number>();
  /** Wrong PINs by project. */
  readonly #wrongPins: WindowCounter;

  constructor({ clock, directory, door = openDoor }: { clock: Clock; directory: RoomDirectory; door?: RoomDoor }) {
    this.#directory = directory;
    this.#door = door;
    this.#members = new Members(clock);
    this.#wrongPins = new WindowCounter(clock, { windowMs: TRIES_FORGOTTEN_MS, maxKeys: MAX_REMEMBERED });
  }

  find(projectId: string, roomId: string): Room | undefined {
    return this.#directory.find(projectId, roomId);
  }

  /** Lets a call in without the PIN; forgotten when `gone` settles. */
  invite(roomId: string, callId: string, gone: Promise<unknown>): void {
    const invitation = `${callId} ${roomId}`;
    this.#invited.add(invitation);
    void gone.then(() => this.#invited.delete(invitation));
  }

  callsIn(projectId: string, roomId: string): string[] {
    return this.#members.in(groupOf(projectId, roomId)).flatMap(({ callId, isIn }) => (isIn ? [callId] : []));
  }

  enter(request: VenueMember): void {
    const { memberId, callId, legId } = request;
    const found = this.#admit(request);
    if ('reason' in found) {
      this.#members.turnAway(request, 'denied', { reason: found.reason });
      return;
    }
    const { room } = found;
    const member: RoomMember = {
      memberId,
      group: groupOf(room.projectId, room.roomId),
      callId,
      isIn: false,
      leave() {},
    };
    this.#members.add(request, member);
    const caller = { callId, legId, name: nameOf(request) };
    member.leave = this.#door.enter(room, caller, this.#visitOf(memberId, room)).leave;
  }

  #visitOf(memberId: string, room: Room): PhoneVisit {
    const { roomId, name } = room;
    const group = groupOf(room.projectId, room.roomId);
    const send = (event: string, data: JsonObject = {}): void => this.#members.send(memberId, event, data);
    return {
      waits: () => send('waiting'),
      isIn: () => {
        const member = this.#members.find(memberId);
        if (!member || member.isIn) return;
        member.isIn = true;
        const members = this.#members.in(group).filter(({ isIn }) => isIn).length;
        send('joined', { room_id: roomId, name, mix_id: mixOfRoom(room), members });
        this.#members.sendCount(member);
      },
      isMuted: (muted) => send('muted', { muted }),
      isOut: (why) => send(why, why === 'denied' ? { reason: 'by_moderator' } : { room_id: roomId }),
    };
  }

  /** Members ask nothing of a room. */
  tell(): void {}

  exit(memberId: string): void {
    const member = this.#members.remove(memberId);
    if (!member) return;
    member.leave();
    if (member.isIn) this.#members.sendCount(member);
  }

  #admit({ callId, projectId, name, options }: VenueMember): { room: Room } | { reason: string } {
    const tries = this.#tries.get(callId) ?? 0;
    if (tries >= MAX_TRIES) return { reason: 'too_many_tries' };
    const pin = typeof options['pin'] === 'string' ? options['pin'] : '';
    const room = name === ANY_ROOM ? this.#directory.withPin(projectId, pin) : this.#directory.find(projectId, name);
    if (!room && name !== ANY_ROOM) return { reason: 'unknown' };
    const open = room && (room.pin === undefined || this.#invited.delete(`${callId} ${room.roomId}`));
    if (!open && this.#wrongPins.count(projectId) >= MAX_TRIES_OF_PROJECT) return { reason: 'too_many_tries' };
    if (room && (open || isPin(room, pin))) {
      this.#tries.delete(callId);
      return { room };
    }
    // Without one, nothing was guessed.
    if (pin !== '') this.#wrongPins.add(projectId);
    if (this.#tries.size >= MAX_REMEMBERED) this.#tries.clear();
    this.#tries.set(callId, tries + 1);
    return { reason: 'wrong_pin' };
  }
}

/** One that waits before the door is not in yet. */
type RoomMember = GroupMember & { callId: string; isIn: boolean; leave(): void };

const nameOf = ({ options, from }: VenueMember): string =>
  typeof options['display_name'] === 'string' ? options['display_name'] : from;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const isPin = ({ pin }: Room, said: string): boolean =>
  pin !== undefined && said.length <= MAX_PIN_LENGTH && timingSafeEqual(digest(pin), digest(said));
