/**
 * Feedback of participants at the end, in rooms that ask for it. The connection of the participant is closed by then:
 * the resume key identifies them, for ten minutes.
 *
 * Invariants
 *  - a participant gives feedback once;
 *  - phones, and participants who were removed, are not asked.
 */
import type { Clock } from '../../base/core/clock.ts';
import { defined } from '../../base/core/json.ts';
import type { CallDetail, Feedback } from './call-detail.ts';
import { KeptKeys } from './kept-keys.ts';
import type { Participant } from './participant.ts';
import type { RoomSession } from './session.ts';
import type { LeaveReason } from './session-ports.ts';

interface Asked {
  session: RoomSession;
  participant: Participant;
  detail: CallDetail;
}

export interface FeedbackDeskParts {
  clock: Clock;
  addFeedback(detail: CallDetail, feedback: Feedback): void;
  given(session: RoomSession, participant: Participant, feedback: Feedback): void;
}

export class FeedbackDesk {
  readonly #parts: FeedbackDeskParts;
  readonly #asked: KeptKeys<Asked>;

  constructor(parts: FeedbackDeskParts) {
    this.#parts = parts;
    this.#asked = new KeptKeys(parts.clock);
  }

  /** A participant left. `detail` is their report. */
  left(asked: Asked, reason: LeaveReason): void {
    const { session, participant } = asked;
    if (!session.room.settings.feedback || participant.isPhone || reason === 'dropped') return;
    this.#asked.add(participant.resumeKey, asked);
  }

  /** False if the participant is not asked, or not any more. */
  give(resumeKey: string, { rating, text = '' }: Feedback): boolean {
    const asked = this.#asked.find(resumeKey);
    if (!asked) return false;
    this.#asked.forget(resumeKey);
    const { addFeedback, given } = this.#parts;
    const feedback = defined<Feedback>({ rating, text: text.trim() || undefined });
    addFeedback(asked.detail, feedback);
    given(asked.session, asked.participant, feedback);
    return true;
  }
}
