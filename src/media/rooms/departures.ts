/**
 * Participants who left, or whose connection was lost: their token is used, so that for some minutes their resume key
 * lets them join again, as new participants. Participants who were removed are not among them, nor those whom a
 * moderator muted and locked, because the lock would end.
 */
import type { Clock } from '../../base/core/clock.ts';
import { defined } from '../../base/core/json.ts';
import type { Participant } from './participant.ts';
import type { VideoRoom } from './room.ts';
import type { TokenHolder } from './room-tokens.ts';

export interface Departed extends TokenHolder {
  projectId: string;
}

const DEPARTED_MS = 10 * 60_000;
/** The oldest entries are dropped above this number. */
const MAX_DEPARTED = 10_000;

export class Departures {
  readonly #clock: Clock;
  /** By resume key, in the order of leaving. */
  readonly #byKey = new Map<string, { departed: Departed; leftMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add({ isPhone, hardMuted, resumeKey, name, role, userRef, data }: Participant, room: VideoRoom): void {
    if (isPhone || hardMuted.size > 0) return;
    const { projectId, roomId } = room;
    const leftMs = this.#clock.monotonicMs();
    this.#byKey.set(resumeKey, { departed: defined({ projectId, roomId, name, role, userRef, data }), leftMs });
    for (const [key, entry] of this.#byKey) {
      if (this.#byKey.size <= MAX_DEPARTED && leftMs - entry.leftMs < DEPARTED_MS) break;
      this.#byKey.delete(key);
    }
  }

  /** Undefined if the key is not known, or the time is over. */
  find(resumeKey: string): Departed | undefined {
    const entry = this.#byKey.get(resumeKey);
    return entry && this.#clock.monotonicMs() - entry.leftMs < DEPARTED_MS ? entry.departed : undefined;
  }

  forget(resumeKey: string): void {
    this.#byKey.delete(resumeKey);
  }
}
