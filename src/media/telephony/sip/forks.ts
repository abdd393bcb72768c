/**
 * Dialogs that one INVITE creates, by the tag of the far end (RFC 3261 §13.2.2.4): a proxy may fork the request to
 * several phones. Provisional responses are acknowledged in their dialog (RFC 3262).
 */
import type { Target } from './carriers.ts';
import type { SipContext } from './context.ts';
import { dialogOfClient } from './dialog.ts';
import { parseSeconds } from './headers.ts';
import type { LegAudio } from './leg-audio.ts';
import type { SignalingSource } from './media-path.ts';
import { type HeaderLine, headerOf, type SipResponse } from './message.ts';
import { type SessionUser, SipSession } from './session.ts';
import type { ClientTransaction } from './transactions.ts';

/** One of the dialogs that forks create. */
export interface Fork {
  session: SipSession;
  /** RFC 3262 §4: number of the last acknowledged provisional response. */
  rseq: number | undefined;
  /** Its session description before the answer. */
  description: { text: string; signaling: SignalingSource } | undefined;
  answered: boolean;
}

export interface ForksParts {
  legId: string;
  localTag: string;
  audio: LegAudio;
  /** User of the dialogs. */
  user: SessionUser;
}

export class Forks {
  readonly #context: SipContext;
  readonly #parts: ForksParts;
  readonly #byTag = new Map<string, Fork>();

  constructor(context: SipContext, parts: ForksParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Returns the fork with this tag, which the first response of its phone creates. */
  forkOf(
    response: SipResponse,
    tag: string,
    { attempt: { request, peer }, target }: { attempt: ClientTransaction; target: Target },
  ): Fork {
    const known = this.#byTag.get(tag);
    if (known) return known;
    const { legId, localTag, audio, user } = this.#parts;
    const dialog = dialogOfClient(request, response, peer, peer === target.peer);
    dialog.localTag = localTag;
    const session = new SipSession(this.#context, { legId, dialog, audio, user, credentials: target.credentials });
    const fork: Fork = { session, rseq: undefined, description: undefined, answered: false };
    this.#byTag.set(tag, fork);
    return fork;
  }

  /** Drops forks that did not answer; one that answers later is created again. */
  dropEarly(): void {
    for (const [tag, fork] of this.#byTag) {
      if (fork.answered) continue;
      fork.session.drop();
      this.#byTag.delete(tag);
    }
  }
}

/** RFC 3262 §4: false for a retransmission or a response out of order, which is ignored. */
export function acknowledgeReliably(fork: Fork, response: SipResponse): boolean {
  const rseq = parseSeconds(headerOf(response, 'rseq'));
  if (rseq === undefined || (fork.rseq !== undefined && rseq !== fork.rseq + 1)) return false;
  fork.rseq = rseq;
  const headers: HeaderLine[] = [['RAck', `${rseq} ${response.cseq.number} INVITE`]];
  fork.session.client.request('PRACK', { headers }, { response() {}, failed() {} });
  return true;
}
