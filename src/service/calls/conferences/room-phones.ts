/**
 * Phone participants of video rooms. Callers join the mix of the room and hear each other. Two ports: `RoomDirectory`,
 * and `RoomDoor`, through which a room's session admits and mutes participants.
 *
 * A member gives the id of a room, or `*` and a `pin`, which then finds the room. It receives `waiting` ({for}) while
 * it has to wait, then `joined` ({room_id, name, mix_id, members, may_talk}), `members`, `muted` ({muted, by}), `hand`
 * ({raised}), `refused` ({by}); or `denied` ({reason}: `unknown`, `wrong_pin`, `too_many_tries`, `by_moderator`),
 * `full`, `ended`, or `removed` by a moderator. It may send `mute` ({muted}) and `hand`.
 *
 * Invariants
 *  R1 A room with a PIN is entered with the PIN, or by invitation (REST), which is valid for one call and one entry.
 *  - After a few wrong PINs a call is denied, whatever it enters. Other calls are not: when many wrong PINs are
 *    entered, PINs wait to be checked (`room-pins.ts`).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../base/core/clock.ts';
import type { DataSubject } from '../../../base/core/data-subject.ts';
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import { mixOfRoom } from '../../../base/core/room-mix.ts';
import type { PhonePresence, PhoneVisit } from '../../../media/rooms/phones.ts';
import type { Venue, VenueMember } from '../../runtime/venue.ts';
import type { PinCheck } from '../pin-queue.ts';
import { type GroupMember, groupOf, Members } from './members.ts';
import { RoomPins } from './room-pins.ts';
import { shownName } from './shown-name.ts';

export interface Room {
  roomId: string;
  projectId: string;
  name: string;
  pin?: string;
}

/** Port: directory of rooms. */
export interface RoomDirectory {
  find(projectId: string, roomId: string): Room | undefined;
  withPin(projectId: string, pin: string): Room | undefined;
}

/** Port: the session of a room, in which phones are participants like others. */
export interface RoomDoor {
  /** `visit` may be called before `enter` returns, and is not called after `leave`. */
  enter(room: Room, caller: RoomCaller, visit: PhoneVisit): PhonePresence;
}

export interface RoomCaller {
  callId: string;
  /** Leg that carries the caller's audio. */
  legId: string;
  /** Name shown to the other participants. */
  name: string;
}

/** Admits every caller. */
const openDoor: RoomDoor = {
  enter(_room, _caller, visit) {
    visit.isIn();
    let hand = false;
    return {
      leave: () => undefined,
      mute: (muted) => visit.isMuted(muted, 'self'),
      toggleHand() {
        hand = !hand;
        visit.hasHand(hand);
      },
    };
  },
};

/** Name that stands for the room with the given PIN. */
const ANY_ROOM = '*';
const MAX_PIN_LENGTH = 32;

/** Directory of the configured rooms. */
export function configuredRooms(rooms: readonly Room[]): RoomDirectory {
  return {
    find: (projectId, roomId) => rooms.find((room) => room.projectId === projectId && room.roomId === roomId),
    withPin(projectId, pin) {
      let found: Room | undefined;
      // Compares all rooms, so that the time taken reveals nothing.
      for (const room of rooms) if (room.projectId === projectId && isPin(room, pin)) found ??= room;
      return found;
    },
  };
}

export class RoomVenue implements Venue {
  readonly #directory: RoomDirectory;
  readonly #door: RoomDoor;
  readonly #members: Members<RoomMember>;
  readonly #invited = new Set<string>();
  readonly #pins: RoomPins;
  /** PINs that wait to be checked, by member. */
  readonly #checks = new Map<string, PinCheck>();

  constructor({ clock, directory, door = openDoor }: { clock: Clock; directory: RoomDirectory; door?: RoomDoor }) {
    this.#directory = directory;
    this.#door = door;
    this.#members = new Members(clock);
    this.#pins = new RoomPins(clock);
  }

  /** Removes the PIN attempts of a person. */
  forgetPerson(person: DataSubject): void {
    this.#pins.forget(person);
  }

  find(projectId: string, roomId: string): Room | undefined {
    return this.#directory.find(projectId, roomId);
  }

  /** Admits a call without the PIN; the invitation is dropped when `gone` settles. */
  invite(roomId: string, callId: string, gone: Promise<unknown>): void {
    const invitation = `${callId} ${roomId}`;
    this.#invited.add(invitation);
    void gone.then(() => this.#invited.delete(invitation));
  }

  callsIn(projectId: string, roomId: string): string[] {
    return this.#members.in(groupOf(projectId, roomId)).flatMap(({ callId, isIn }) => (isIn ? [callId] : []));
  }

  enter(request: VenueMember): void {
    const { callId, name } = request;
    const pin = pinOf(request);
    const room = this.#find(request, pin);
    if (this.#pins.isOver(request)) this.#deny(request, 'too_many_tries');
    else if (!room && name !== ANY_ROOM) this.#deny(request, 'unknown');
    else if (room && (room.pin === undefined || this.#invited.delete(`${callId} ${room.roomId}`))) {
      this.#admit(request, room);
    } else if (pin === '') {
      // No PIN was guessed.
      this.#pins.recordMissing(request);
      this.#deny(request, 'wrong_pin');
    } else this.#checkPin(request, pin);
  }

  #find({ projectId, name }: VenueMember, pin: string): Room | undefined {
    return name === ANY_ROOM ? this.#directory.withPin(projectId, pin) : this.#directory.find(projectId, name);
  }

  /** Checks the PIN at once or when it is its turn; by then the room may have changed or be gone. */
  #checkPin(request: VenueMember, pin: string): void {
    const { memberId } = request;
    const check = this.#pins.check(request, () => {
      this.#checks.delete(memberId);
      const room = this.#find(request, pin);
      const isRight = room !== undefined && (room.pin === undefined || isPin(room, pin));
      if (isRight) this.#admit(request, room);
      else this.#deny(request, 'wrong_pin');
      return isRight;
    });
    if (!check.waits) return;
    this.#checks.set(memberId, check);
    this.#members.sendBefore(request, 'waiting', {});
  }

  #deny(request: VenueMember, reason: string): void {
    this.#members.turnAway(request, 'denied', { reason });
  }

  #admit(request: VenueMember, room: Room): void {
    const { memberId, callId, legId } = request;
    const member: RoomMember = {
      memberId,
      group: groupOf(room.projectId, room.roomId),
      callId,
      isIn: false,
      isCounted: false,
      presence: undefined,
    };
    this.#members.add(request, member);
    const caller = { callId, legId, name: nameOf(request) };
    member.presence = this.#door.enter(room, caller, this.#visitOf(memberId, room));
  }

  #visitOf(memberId: string, room: Room): PhoneVisit {
    const { roomId, name } = room;
    const group = groupOf(room.projectId, room.roomId);
    const send = (event: string, data: JsonObject = {}): void => this.#members.send(memberId, event, data);
    return {
      waits: (reason) => send('waiting', { for: reason }),
      isIn: (people, mayTalk = true) => {
        const member = this.#members.find(memberId);
        if (!member || member.isIn) return;
        member.isIn = true;
        member.isCounted = people !== undefined;
        // While no session is open, the room contains only phones.
        const members = people ?? this.#members.in(group).filter(({ isIn }) => isIn).length;
        send('joined', { room_id: roomId, name, mix_id: mixOfRoom(room), members, may_talk: mayTalk });
        if (!member.isCounted) this.#members.sendCount(member);
      },
      counts: (people) => send('members', { members: people }),
      isMuted: (muted, by) => send('muted', { muted, by }),
      hasHand: (raised) => send('hand', { raised }),
      isRefused: (by) => send('refused', { by }),
      isOut: (why) => send(why, why === 'denied' ? { reason: 'by_moderator' } : { room_id: roomId }),
    };
  }

  tell(memberId: string, name: string, data: Json): void {
    const presence = this.#members.find(memberId)?.presence;
    if (name === 'mute' && isObject(data)) presence?.mute(data['muted'] === true);
    if (name === 'hand') presence?.toggleHand();
  }

  exit(memberId: string): void {
    this.#checks.get(memberId)?.cancel();
    this.#checks.delete(memberId);
    const member = this.#members.remove(memberId);
    if (!member) return;
    member.presence?.leave();
    if (member.isIn && !member.isCounted) this.#members.sendCount(member);
  }
}

interface RoomMember extends GroupMember {
  callId: string;
  /** False while it waits in the lobby. */
  isIn: boolean;
  /** True if the session reports the number of participants. */
  isCounted: boolean;
  presence: PhonePresence | undefined;
}

const nameOf = ({ options, from }: VenueMember): string =>
  shownName(typeof options['display_name'] === 'string' ? options['display_name'] : from);

const pinOf = ({ options }: VenueMember): string => (typeof options['pin'] === 'string' ? options['pin'] : '');

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const isPin = ({ pin }: Room, said: string): boolean =>
  pin !== undefined && said.length <= MAX_PIN_LENGTH && timingSafeEqual(digest(pin), digest(said));
