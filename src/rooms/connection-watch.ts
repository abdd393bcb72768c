/**
 * Whether a connection between the engine and one client comes up: one for what the client sends, one for what it receives.
 * A connection that does not come up in time, or that is lost, is made anew; after some tries in vain its client is informed.
 * Neighbour: `engine-people.ts` says what is expected and what happens.
 *
 * Invariants
 *  - a connection that nobody needs is not made anew;
 *  - the first one that fails before it was up is made anew at once; the others wait, so that they cost little;
 *  - `failed` is reported once, until the connection has been up again.
 */
import type { Clock, Timer } from '../core/clock.ts';
import type { ConnectionState } from './sfu.ts';

/** From the offer on, with the time that the client takes. */
const CONNECT_MS = 5000;
/** So many in a row that did not come up. */
const MANY = 3;
/** Between those that follow. */
const LATER_MS = 30_000;

export class ConnectionWatch {
  readonly #clock: Clock;
  readonly #renew: () => void;
  readonly #report: (state: ConnectionState) => void;
  #isExpected = false;
  #isUp = false;
  /** Connections that did not come up since one was up last. */
  #failures = 0;
  #timer: Timer | undefined;

  constructor(parts: { clock: Clock; renew(): void; report(state: ConnectionState): void }) {
    this.#clock = parts.clock;
    this.#renew = parts.renew;
    this.#report = parts.report;
  }

  /** Whether something is to pass through it from now on. */
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

  /** It was lost, or failed before it was up. */
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
