/**
 * Watches one connection between the engine and a client: one watch for publishing, one for receiving. Renegotiates a
 * connection that does not come up in time or is lost, and notifies the client after several failures.
 * `media-participants.ts` says when a connection is expected, and reports its state.
 *
 * Invariants
 *  - a connection that carries no media is not renegotiated;
 *  - the first failure before the connection was up renegotiates at once; later attempts wait, to limit their cost;
 *  - `failed` is reported once, until the connection was up again.
 */
import type { Clock, Timer } from '../../base/core/clock.ts';
import type { ConnectionState } from './sfu.ts';

/** Timeout from the offer to the connection, including the time of the client. */
const CONNECT_MS = 5000;
/** Consecutive failures after which `failed` is reported. */
const MANY = 3;
/** Pause between the attempts after that. */
const LATER_MS = 30_000;

export class ConnectionWatch {
  readonly #clock: Clock;
  readonly #renew: () => void;
  readonly #report: (state: ConnectionState) => void;
  #isExpected = false;
  #isUp = false;
  /** Failed attempts since the connection was last up. */
  #failures = 0;
  #timer: Timer | undefined;

  constructor(parts: { clock: Clock; renew(): void; report(state: ConnectionState): void }) {
    this.#clock = parts.clock;
    this.#renew = parts.renew;
    this.#report = parts.report;
  }

  /** Sets whether media should flow through the connection. */
  expect(isExpected: boolean): void {
    this.#isExpected = isExpected;
    this.#update();
  }

  up(): void {
    if (this.#isUp) return;
    this.#isUp = true;
    this.#failures = 0;
    this.#update();
    this.#report('up');
  }

  /** The connection was lost, or failed before it was up. */
  down(): void {
    if (this.#isUp) {
      this.#isUp = false;
      this.#update();
      this.#report('down');
    } else if (this.#timer && this.#failures === 0) this.#again();
  }

  #update(): void {
    if (!this.#isExpected || this.#isUp) {
      this.#timer?.cancel();
      this.#timer = undefined;
    } else this.#timer ??= this.#clock.after(this.#failures < MANY ? CONNECT_MS : LATER_MS, () => this.#again());
  }

  #again(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#failures++;
    if (this.#failures <= MANY) this.#report(this.#failures === MANY ? 'failed' : 'renewed');
    this.#renew();
    this.#update();
  }

  close(): void {
    this.expect(false);
  }
}
