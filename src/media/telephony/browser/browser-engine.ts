/**
 * Engine with calls from browsers: creates their legs with the media ports of the engine below, and passes all other
 * calls to that engine.
 * Invariants: E1–E4 of `../engine.ts`. Events are queued, and emitted after the call that caused them has returned.
 */
import { TEMPORARY_FAILURE } from '../../../base/core/causes.ts';
import type { Clock } from '../../../base/core/clock.ts';
import type { LegCommand, LegEvent } from '../../../base/core/leg.ts';
import type { BrowserLegs } from '../browser-legs.ts';
import type { DialRequest, Engine, EngineHost } from '../engine.ts';
import type { MediaPort } from '../media/media-port.ts';
import { BrowserLeg } from './browser-leg.ts';
import type { LineGateway } from './line-gateway.ts';

export interface BrowserEngineParts {
  media: MediaPort;
  clock: Clock;
  log(level: 'info' | 'warn' | 'error', message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Maximum time that `stop` waits for the media of the last legs. */
const STOP_LIMIT_MS = 2000;

export class BrowserEngine implements Engine {
  readonly #engine: Engine;
  readonly #parts: BrowserEngineParts;
  readonly #legs = new Map<string, BrowserLeg>();
  readonly #queue: { legId: string; event: LegEvent }[] = [];
  #host: EngineHost | undefined;
  #isRunning = false;
  #allGone: (() => void) | undefined;

  constructor(engine: Engine, parts: BrowserEngineParts) {
    this.#engine = engine;
    this.#parts = parts;
  }

  get name(): string {
    return this.#engine.name;
  }

  get capabilities(): Engine['capabilities'] {
    return this.#engine.capabilities;
  }

  /** Number of browser legs. */
  get count(): number {
    return this.#legs.size;
  }

  async start(host: EngineHost): Promise<void> {
    this.#host = host;
    await this.#engine.start(host);
    this.#isRunning = true;
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    for (const leg of [...this.#legs.values()]) leg.send({ type: 'hangup', cause: TEMPORARY_FAILURE.code });
    if (this.#legs.size > 0) {
      const gone = new Promise<void>((resolve) => {
        this.#allGone = resolve;
      });
      const limit = this.#parts.clock.after(STOP_LIMIT_MS, () => this.#allGone?.());
      await gone;
      limit.cancel();
    }
    this.#flush();
    await this.#engine.stop();
  }

  dial(request: DialRequest): void {
    this.#engine.dial(request);
  }

  send(legId: string, command: LegCommand): void {
    const leg = this.#legs.get(legId);
    if (leg) leg.send(command);
    else this.#engine.send(legId, command);
  }

  /** Returns the legs of browsers that this gateway connects. */
  browsers(gateway: LineGateway): BrowserLegs {
    const { media, clock, log } = this.#parts;
    const parts = {
      ...{ media, gateway, clock },
      log: (message: string, fields: Readonly<Record<string, unknown>>) => log('warn', message, fields),
    };
    const isRunning = (): boolean => this.#isRunning;
    return {
      get unusable() {
        return isRunning() ? gateway.unusable : 'the service takes no calls';
      },
      open: ({ legId, sdp }, page) => {
        const leg = new BrowserLeg(parts, {
          legId,
          page: (notice) => queueMicrotask(() => page(notice)),
          emit: (event) => this.#emit(legId, event),
          gone: () => this.#gone(legId),
        });
        this.#legs.set(legId, leg);
        void leg.open(sdp);
        return leg;
      },
    };
  }

  #gone(legId: string): void {
    this.#legs.delete(legId);
    if (this.#legs.size === 0) this.#allGone?.();
  }

  #emit(legId: string, event: LegEvent): void {
    if (this.#queue.push({ legId, event }) === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      try {
        this.#host?.event(next.legId, next.event);
      } catch (error) {
        this.#parts.log('error', 'webphone.host_failed', { legId: next.legId, error: String(error) });
      }
    }
  }
}
