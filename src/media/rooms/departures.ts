/**
 * Participants who left, or whose connection was lost: their token is used, so that for some minutes their resume key
 * lets them join again, as new participants. Participants who were removed are not among them, nor those whom a
 * moderator muted and locked, because the lock would end.
 */
import type { Clock } from '../../base/core/clock.ts';
import { defined } from '../../base/core/json.ts';
import { KeptKeys } from './kept-keys.ts';
import type { Participant } from './participant.ts';
import type { VideoRoom } from './room.ts';
import type { TokenHolder } from './room-tokens.ts';

export interface Departed extends TokenHolder {
  projectId: string;
}

export class Departures {
  readonly #kept: KeptKeys<Departed>;

  constructor(clock: Clock) {
    this.#kept = new KeptKeys(clock);
  }

  add({ isPhone, hardMuted, resumeKey, name, role, userRef, data }: Participant, room: VideoRoom): void {
    if (isPhone || hardMuted.size > 0) return;
    const { projectId, roomId } = room;
    this.#kept.add(resumeKey, defined({ projectId, roomId, name, role, userRef, data }));
  }

  /** Undefined if the key is not known, or the time is over. */
  find(resumeKey: string): Departed | undefined {
    return this.#kept.find(resumeKey);
  }

  forget(resumeKey: string): void {
    this.#kept.forget(resumeKey);
  }
}
