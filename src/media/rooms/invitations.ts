/**
 * Invitations that moderators create in a session: tokens like those of the API, with its limits and in its counts.
 *
 * Invariants
 *  - only roles in `invitations` of the room are invited;
 *  - the rate is limited for the session as a whole, so that a moderator who joins again has no new allowance;
 *  - a token is sent to the moderator who asked for it only, and never to the journal.
 */
import type { Clock } from '../../base/core/clock.ts';
import type { ServerMessage } from '../../base/core/room-messages.ts';
import { TokenBucket } from '../../base/core/token-bucket.ts';
import type { Participant } from './participant.ts';
import type { RoomRole, VideoRoom } from './room.ts';
import { RoomError } from './room-error.ts';
import type { InvitationTokens, IssuedToken } from './room-tokens.ts';
import type { SessionEvent } from './session-ports.ts';

interface InvitationsParts {
  clock: Clock;
  room: VideoRoom;
  tokens: InvitationTokens;
  nextId(kind: string): string;
  tell(participant: Participant, message: ServerMessage): void;
  onEvent(event: SessionEvent): void;
}

export type InvitationProblem = 'not_allowed' | 'too_many_invitations' | 'not_available';

/** A burst, then one invitation in ten seconds. */
const BURST = 20;
const PER_SECOND = 0.1;

export class Invitations {
  readonly #parts: InvitationsParts;
  readonly #allowance: TokenBucket;
  /** Valid tokens, by id, in the order of creation. */
  readonly #issued = new Map<string, IssuedToken>();

  constructor(parts: InvitationsParts) {
    this.#parts = parts;
    this.#allowance = new TokenBucket(parts.clock, PER_SECOND, BURST);
  }

  invite(by: Participant, role: RoomRole, name: string): InvitationProblem | undefined {
    const { room, tokens, nextId, tell, onEvent } = this.#parts;
    if (by.role !== 'moderator' || !room.settings.invitations?.includes(role)) return 'not_allowed';
    if (!this.#allowance.take()) return 'too_many_invitations';
    const holder = { role, name: name.trim(), userRef: nextId('invitation') };
    try {
      const issued = tokens.issue(holder);
      this.#removeExpired();
      this.#issued.set(holder.userRef, issued);
      const { token, expiresMs } = issued;
      tell(by, { type: 'invitation', id: holder.userRef, role, name: holder.name, token, expires_at: expiresMs });
    } catch (error) {
      if (error instanceof RoomError) return 'not_available';
      throw error;
    }
    onEvent({ type: 'invited', by, role, name: holder.name, invitation: holder.userRef });
    return undefined;
  }

  /** Any moderator may revoke an invitation of another one. */
  revoke(by: Participant, id: string): InvitationProblem | undefined {
    if (by.role !== 'moderator') return 'not_allowed';
    const issued = this.#issued.get(id);
    if (!issued) return 'not_available';
    const { tokens, tell, onEvent } = this.#parts;
    tokens.revoke(issued.token, (state) => {
      if (state === 'unchecked') {
        tell(by, { type: 'error', code: 'not_available', about: 'revoke_invitation' });
        return;
      }
      this.#issued.delete(id);
      tell(by, { type: 'invitation_over', id, state });
      if (state === 'revoked') onEvent({ type: 'invitation_revoked', by, invitation: id });
    });
    return undefined;
  }

  #removeExpired(): void {
    const nowMs = this.#parts.clock.now();
    for (const [id, { expiresMs }] of this.#issued) if (expiresMs <= nowMs) this.#issued.delete(id);
  }
}
