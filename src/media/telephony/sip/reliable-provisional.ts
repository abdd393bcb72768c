/**
 * Reliable provisional responses of a server (RFC 3262): numbered, one at a time, retransmitted until the PRACK.
 * No response overtakes an unacknowledged one: `whenClear` waits for it.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { SipContext } from './context.ts';
import { type HeaderLine, headerOf, type ResponseExtras, type SipRequest } from './message.ts';
import { type Retransmission, retransmitUntilStopped } from './retransmission.ts';
import type { ServerTransaction } from './server-transaction.ts';

export class ReliableProvisionals {
  readonly #clock: Clock;
  readonly #invite: ServerTransaction;
  readonly #giveUp: () => void;
  #rseq: number;
  #outstanding: { rseq: number; repetition: Retransmission } | undefined;
  #queue: (() => void)[] = [];

  constructor({ clock, random }: Pick<SipContext, 'clock' | 'random'>, invite: ServerTransaction, giveUp: () => void) {
    this.#clock = clock;
    this.#invite = invite;
    this.#giveUp = giveUp;
    // §3: chosen uniformly from 1 to 2^31 - 1; the upper half is left for counting.
    this.#rseq = 1 + Math.floor(random() * 2 ** 30);
  }

  send(status: number, extras: ResponseExtras): void {
    this.whenClear(() => {
      const rseq = this.#rseq++;
      const headers: HeaderLine[] = [...(extras.headers ?? []), ['Require', '100rel'], ['RSeq', String(rseq)]];
      this.#invite.respond(status, { ...extras, headers });
      const repetition = retransmitUntilStopped(this.#clock, {
        repeat: () => this.#invite.repeat(),
        giveUp: () => {
          this.#outstanding = undefined;
          this.#queue = [];
          this.#giveUp();
        },
        capMs: Number.POSITIVE_INFINITY,
      });
      this.#outstanding = { rseq, repetition };
    });
  }

  /** Runs `then` synchronously if no PRACK is outstanding, else after it. */
  whenClear(then: () => void): void {
    if (this.#outstanding || this.#queue.length > 0) this.#queue.push(then);
    else then();
  }

  /**
   * True if this PRACK acknowledges the outstanding response (§3, §7.2). The caller responds to it, then calls
   * `advance`.
   */
  takes(prack: SipRequest): boolean {
    const [rseq, cseq, method] = (headerOf(prack, 'rack') ?? '').split(/[ \t]+/);
    const { number } = this.#invite.request.cseq;
    if (!this.#outstanding || Number(rseq) !== this.#outstanding.rseq || Number(cseq) !== number) return false;
    if (method !== 'INVITE') return false;
    this.#outstanding.repetition.stop();
    this.#outstanding = undefined;
    return true;
  }

  advance(): void {
    while (!this.#outstanding) {
      const next = this.#queue.shift();
      if (!next) return;
      next();
    }
  }

  stop(): void {
    this.#outstanding?.repetition.stop();
    this.#outstanding = undefined;
    this.#queue = [];
  }
}
