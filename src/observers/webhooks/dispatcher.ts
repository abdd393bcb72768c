/**
 * Carries webhook events from the outbox to their receivers. The outbox knows what is to be sent; here is only what is
 * under way, and when to try next. After a start it goes on where the last process stopped.
 *
 * Invariants
 *  D1 at least once: an event leaves the outbox when its receiver has taken it (2xx), or dead after its last retry;
 *  D2 the events of one order key go out in order, one at a time; but while its call is live an event waits no longer
 *     than ten seconds for a failing predecessor, which is then retried beside the line;
 *  D3 no line moves while its key is held;
 *  D4 a receiver, whatever it does, holds up nobody's events but its own.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import type { Delivery } from '../../core/delivery.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import { type Answer, readAnswer } from './answer.ts';
import { encryptedBody } from './encrypted-body.ts';
import type { DeathCause, Outbox, Parcel, Standing } from './outbox.ts';
import { retryDelayMs } from './retry-schedule.ts';
import type { Sender, SendResult } from './sender.ts';
import { signatureHeaders } from './signature.ts';
import { Turnstile, type TurnstileLimits } from './turnstile.ts';

export interface DispatcherParts {
  outbox: Outbox;
  /** Closed by `stop`. */
  sender: Sender;
  clock: Clock;
  log: Log;
  /** In [0, 1): the jitter of retries. */
  random(): number;
  /** The secret that signs the project's events. */
  secretOf(projectId: string): string | undefined;
  /** Whether the project's receivers want bodies encrypted; `encrypted-body.ts`. */
  isEncrypted?(projectId: string): boolean;
  /** Whether the call that the key stands for is still going on. */
  isLive(orderKey: string): boolean;
  /** A receiver answered an event of this call with a JSON object: not checked, not trusted. */
  onAnswer(callId: string, answer: JsonObject): void;
  /** Told of every attempt: for figures. */
  onAttempt?(attempt: { outcome: 'delivered' | 'failed' | 'given_up'; durationMs: number }): void;
  limits?: TurnstileLimits;
}

/** One event on its way: queued, being sent, or waiting for its next attempt. */
interface Journey {
  standing: Standing;
  /** Absent for one that stands beside its line. */
  lane: Lane | undefined;
  timer?: Timer | undefined;
  firstTriedMs?: number;
  over: boolean;
}

/** The line of one order key, as far as it is under way. */
interface Lane {
  key: string;
  head: Journey | undefined;
  /** When the next in line has waited long enough for the head. */
  patience?: Timer | undefined;
  /** The head is being moved out of the line. */
  moving: boolean;
}

interface Hold {
  count: number;
}

type Verdict =
  | { outcome: 'delivered'; answer: Answer }
  | { outcome: 'failed'; retryInMs: number }
  | { outcome: 'dead'; deathCause: DeathCause; disable?: boolean };

const LIMITS: TurnstileLimits = { total: 256, perReceiver: 32 };
const PATIENCE_MS = 10_000;
/** A hold that its holder forgot, or a response that never leaves, must not keep events for ever. */
const LONGEST_HOLD_MS = 10_000;
/** After an outcome could not be written. */
const UNRECORDED_DELAY_MS = 5000;

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #turnstile: Turnstile;
  readonly #lanes = new Map<string, Lane>();
  readonly #journeys = new Set<Journey>();
  readonly #holds = new Map<string, Hold>();
  readonly #holdTimers = new Set<Timer>();
  #unsubscribe: (() => void) | undefined;
  #running = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#turnstile = new Turnstile(parts.limits ?? LIMITS);
  }

  /** Takes up what the outbox holds, and whatever is committed from now on. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    const { outbox } = this.#parts;
    this.#unsubscribe = outbox.subscribe((committed) => this.#committed(committed));
    for (const standing of outbox.startable()) {
      if (standing.inLine) this.#advance(this.#lane(standing.orderKey));
      else this.#dispatch(this.#journey(standing, undefined));
    }
  }

  /** Starts no further attempt, and resolves when those under way are over and written down. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#unsubscribe?.();
    for (const journey of this.#journeys) journey.timer?.cancel();
    for (const lane of this.#lanes.values()) lane.patience?.cancel();
    for (const timer of this.#holdTimers) timer.cancel();
    await this.#turnstile.drain();
    await this.#parts.sender.close();
  }

  /** Keeps back the events of a key until the returned function is called (once or more), ten seconds at most. */
  hold(orderKey: string): () => void {
    const hold = this.#holds.get(orderKey) ?? { count: 0 };
    hold.count++;
    this.#holds.set(orderKey, hold);
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      timer.cancel();
      this.#holdTimers.delete(timer);
      hold.count--;
      if (hold.count > 0) return;
      this.#holds.delete(orderKey);
      const lane = this.#lanes.get(orderKey);
      if (lane) this.#advance(lane);
    };
    const timer = this.#parts.clock.after(LONGEST_HOLD_MS, release);
    this.#holdTimers.add(timer);
    return release;
  }

  /** Sends a dead event again, and believes its URL to be usable again. False: there is no such dead event. */
  async resend(id: string): Promise<boolean> {
    const { outbox, clock } = this.#parts;
    const dead = outbox.deadOne(id);
    if (!dead) return false;
    await outbox.enableUrl(dead.projectId, dead.url);
    if (!(await outbox.revive(id, clock.now()))) return false;
    const standing = outbox.read(id);
    if (standing && this.#running) this.#dispatch(this.#journey(standing, undefined));
    return true;
  }

  #committed(committed: readonly Delivery[]): void {
    for (const orderKey of new Set(committed.map((delivery) => delivery.orderKey))) {
      const lane = this.#lane(orderKey);
      if (lane.head) this.#watch(lane);
      else this.#advance(lane);
    }
  }

  #lane(key: string): Lane {
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = { key, head: undefined, moving: false };
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  #journey(standing: Standing, lane: Lane | undefined): Journey {
    const journey: Journey = { standing, lane, over: false };
    this.#journeys.add(journey);
    return journey;
  }

  /** Sends off the first of a line that has nothing under way. */
  #advance(lane: Lane): void {
    if (!this.#running || lane.head || lane.moving || this.#holds.has(lane.key)) return;
    const [standing] = this.#parts.outbox.line(lane.key, 1);
    if (standing) {
      lane.head = this.#journey(standing, lane);
      this.#dispatch(lane.head);
    } else {
      this.#lanes.delete(lane.key);
    }
  }

  /** Queues an attempt for when it is due; a first attempt is due at once, whatever clocks say. */
  #dispatch(journey: Journey): void {
    const { attempts, dueMs } = journey.standing;
    const waitMs = attempts === 0 ? 0 : dueMs - this.#parts.clock.now();
    if (waitMs > 0) journey.timer = this.#parts.clock.after(waitMs, () => this.#queue(journey));
    else this.#queue(journey);
  }

  #queue(journey: Journey): void {
    journey.timer = undefined;
    if (this.#running) this.#turnstile.enter(receiverOf(journey.standing.url), () => this.#attempt(journey));
  }

  async #attempt(journey: Journey): Promise<void> {
    try {
      await this.#attemptOnce(journey);
    } catch (error) {
      // The outcome could not be written: it is tried again, because at least once is the promise.
      this.#parts.log.error('delivery.unrecorded', { deliveryId: journey.standing.id, error });
      if (this.#running) journey.timer = this.#parts.clock.after(UNRECORDED_DELAY_MS, () => this.#queue(journey));
    }
  }

  async #attemptOnce(journey: Journey): Promise<void> {
    const { lane } = journey;
    if (!this.#running) return;
    if (lane && this.#holds.has(lane.key)) return this.#end(journey);
    const { outbox, clock } = this.#parts;
    const parcel = outbox.read(journey.standing.id);
    if (!parcel) return this.#end(journey);

    const startedMs = clock.now();
    journey.firstTriedMs ??= startedMs;
    const { verdict, result } = await this.#try(parcel);
    this.#logAttempt(parcel, verdict, result, startedMs);
    if (verdict.outcome === 'failed') {
      const standing = { ...parcel, attempts: parcel.attempts + 1, dueMs: clock.now() + verdict.retryInMs };
      await outbox.postpone(parcel.id, standing);
      this.#retry(journey, standing);
      return;
    }
    if (verdict.outcome === 'delivered') {
      await outbox.delivered(parcel.id);
    } else {
      if (verdict.disable) await outbox.disableUrl(parcel.projectId, parcel.url, clock.now());
      await outbox.bury(parcel.id, { deadMs: clock.now(), deathCause: verdict.deathCause });
    }
    this.#end(journey);
  }

  #retry(journey: Journey, { id, projectId, orderKey, url, createdMs, attempts, dueMs, inLine }: Standing): void {
    journey.standing = { id, projectId, orderKey, url, createdMs, attempts, dueMs, inLine };
    if (!this.#running) return;
    this.#dispatch(journey);
    if (journey.lane) this.#watch(journey.lane);
  }

  #end(journey: Journey): void {
    journey.over = true;
    this.#journeys.delete(journey);
    const { lane } = journey;
    if (!lane) return;
    lane.head = undefined;
    lane.patience?.cancel();
    lane.patience = undefined;
    this.#advance(lane);
  }

  /** D2: lets the next in line begin to lose patience with a head that fails. */
  #watch(lane: Lane): void {
    const { head } = lane;
    if (!this.#running || !head || lane.patience || head.standing.attempts === 0) return;
    const next = this.#parts.outbox.line(lane.key, 2)[1];
    if (!next) return;
    const { clock } = this.#parts;
    const lostMs = Math.max(next.createdMs, head.firstTriedMs ?? 0) + PATIENCE_MS;
    lane.patience = clock.after(Math.max(0, lostMs - clock.now()), () => {
      lane.patience = undefined;
      void this.#pass(lane, head);
    });
  }

  /** D2: the head leaves the line and goes on beside it; also when an attempt of it is under way. */
  async #pass(lane: Lane, head: Journey): Promise<void> {
    const { outbox, log, isLive } = this.#parts;
    if (!this.#running || lane.head !== head || !isLive(lane.key)) return;
    lane.moving = true;
    lane.head = undefined;
    head.lane = undefined;
    try {
      await outbox.stepAside(head.standing.id);
    } catch (error) {
      log.error('delivery.unrecorded', { deliveryId: head.standing.id, error });
      if (!head.over) {
        head.lane = lane;
        lane.head = head;
      }
    }
    lane.moving = false;
    this.#advance(lane);
  }

  async #try(parcel: Parcel): Promise<{ verdict: Verdict; result?: SendResult }> {
    const { outbox, sender } = this.#parts;
    if (outbox.isDisabled(parcel.projectId, parcel.url)) return { verdict: { outcome: 'dead', deathCause: 'gone' } };
    const letter = this.#letter(parcel);
    if (!letter) return { verdict: { outcome: 'dead', deathCause: 'unsigned' } };
    const result = await sender.send({ url: parcel.url, ...letter });
    const verdict = this.#judge(result, parcel);
    if (verdict.outcome === 'delivered') this.#handOver(parcel, verdict.answer);
    return { verdict, result };
  }

  /** What is sent: signed as it goes out. */
  #letter({ id, projectId, body: text }: Parcel): { headers: Record<string, string>; body: string } | undefined {
    const { secretOf, isEncrypted, clock, log } = this.#parts;
    try {
      const secret = secretOf(projectId);
      if (secret === undefined) return undefined;
      const { body, headers } = isEncrypted?.(projectId) ? encryptedBody(text, projectId) : { body: text, headers: {} };
      return { headers: { ...headers, ...signatureHeaders(secret, id, clock.now(), body) }, body };
    } catch (error) {
      log.error('delivery.unsigned', { deliveryId: id, projectId, error });
      return undefined;
    }
  }

  #judge(result: SendResult, { attempts }: Parcel): Verdict {
    if ('status' in result) {
      if (result.status >= 200 && result.status < 300) return { outcome: 'delivered', answer: readAnswer(result.body) };
      if (result.status === 410) return { outcome: 'dead', deathCause: 'gone', disable: true };
    } else if (result.failure === 'refused_target') {
      return { outcome: 'dead', deathCause: 'refused' };
    }
    const retryInMs = retryDelayMs(attempts + 1, this.#parts.random());
    return retryInMs === undefined ? { outcome: 'dead', deathCause: 'exhausted' } : { outcome: 'failed', retryInMs };
  }

  #handOver(parcel: Parcel, answer: Answer): void {
    if (answer.kind !== 'action') return;
    try {
      this.#parts.onAnswer(parcel.orderKey, answer.action);
    } catch (error) {
      this.#parts.log.error('delivery.answer_failed', { deliveryId: parcel.id, callId: parcel.orderKey, error });
    }
  }

  #logAttempt(parcel: Parcel, verdict: Verdict, result: SendResult | undefined, startedMs: number): void {
    const { log, clock, onAttempt } = this.#parts;
    const durationMs = clock.now() - startedMs;
    onAttempt?.({ outcome: verdict.outcome === 'dead' ? 'given_up' : verdict.outcome, durationMs });
    const { answer } = verdict.outcome === 'delivered' ? verdict : {};
    log[verdict.outcome === 'delivered' ? 'info' : 'warn']('delivery.attempted', {
      deliveryId: parcel.id,
      projectId: parcel.projectId,
      callId: parcel.orderKey,
      target: shownUrl(parcel.url),
      attempt: parcel.attempts + 1,
      outcome: verdict.outcome,
      inLine: parcel.inLine,
      durationMs,
      ageMs: startedMs - parcel.createdMs,
      bodyLength: parcel.body.length,
      ...(result && 'status' in result ? { status: result.status } : {}),
      ...(result && 'failure' in result ? { failure: result.failure } : {}),
      ...(answer ? { answer: answer.kind } : {}),
      ...(answer?.kind === 'ignored' ? { answerIgnored: answer.why } : {}),
      ...(verdict.outcome === 'failed' ? { retryInMs: verdict.retryInMs } : {}),
      ...(verdict.outcome === 'dead' ? { deathCause: verdict.deathCause } : {}),
    });
  }
}

const receiverOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

/** Without user, password, query and fragment: those carry secrets. */
function shownUrl(url: string): string {
  if (!URL.canParse(url)) return 'not a URL';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
