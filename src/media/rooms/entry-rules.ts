/** Rules for entering a room now: its opening times, the state of the service, the audience and the number of people. */
import type { Clock } from '../../base/core/clock.ts';
import type { RoomRole, VideoRoom } from './room.ts';
import { RoomError } from './room-error.ts';
import { checkOpen } from './room-rules.ts';
import type { RoomSession } from './session.ts';

interface EntryRulesParts {
  clock: Clock;
  mayOpen?(): boolean;
  audienceProblem?(): string | undefined;
  /** Session of a room, if there is one. */
  find(projectId: string, roomId: string): RoomSession | undefined;
}

export class EntryRules {
  readonly #parts: EntryRulesParts;

  constructor(parts: EntryRulesParts) {
    this.#parts = parts;
  }

  /** Throws a `RoomError` if one more participant of this role cannot enter now. */
  checkRole(room: VideoRoom, role: RoomRole): void {
    this.checkOpen(room);
    this.checkMayOpen(room);
    if (role === 'audience' && room.settings.audiences === 0) {
      throw new RoomError('role_invalid', 'role: the room has no audience', 'set audiences of the room');
    }
    const problem = this.problemFor(role);
    if (problem !== undefined) throw new RoomError('audience_unavailable', `role: no audience here: ${problem}`);
    const session = this.#sessionOf(room);
    if (!session?.fullFor(role)) return;
    throw new RoomError('room_full', `the room has ${session.inside.length} people already`);
  }

  /** Reason why this service has no place for the role. */
  problemFor(role: RoomRole): string | undefined {
    return role === 'audience' ? this.#parts.audienceProblem?.() : undefined;
  }

  checkOpen(room: VideoRoom): void {
    const isActive = (this.#sessionOf(room)?.inside.length ?? 0) > 0;
    checkOpen(room, this.#parts.clock.now(), isActive);
  }

  /** Active sessions admit participants even while the service drains. */
  checkMayOpen(room: VideoRoom): void {
    if (this.#sessionOf(room) || this.#parts.mayOpen?.() !== false) return;
    throw new RoomError('service_draining', 'the service takes no new sessions', 'try again in a minute');
  }

  #sessionOf({ projectId, roomId }: VideoRoom): RoomSession | undefined {
    return this.#parts.find(projectId, roomId);
  }
}
