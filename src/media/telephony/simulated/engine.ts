/**
 * Engine without a network: calls, prompts and digits run on the given clock. With a virtual clock a day of calls takes
 * milliseconds; with the system clock a terminal can be the phone.
 *
 * Its far ends are scripted through `FarEnd`: `call` returns that of an inbound call, `callee` decides how a dialled
 * one reacts, and `dialled` is called with each of them. Recordings are measured but not written; streams count the
 * frames that a WebSocket would receive.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { Ids } from '../../../base/core/ids.ts';
import type { LegCommand, LegEvent } from '../../../base/core/leg.ts';
import { asReceived } from '../../../base/core/sip-headers.ts';
import type { AudioSource } from '../audio.ts';
import type { BrowserLegs } from '../browser-legs.ts';
import { ALL_CAPABILITIES, type DialRequest, type Engine, type EngineHost, type IncomingLeg } from '../engine.ts';
import { SimulatedBrowsers } from './browsers.ts';
import type { CalleePlan, FarEnd, SimulatedAgentAct, SinkPlan } from './far-end.ts';
import { SimulatedLeg } from './leg.ts';
import { SimulatedMixes } from './mixes.ts';

export interface SimulatedEngineOptions {
  clock: Clock;
  ids: Ids;
  /** Provides the duration of each prompt; if `durationMs` throws an error with a `fault`, the play fails with it. */
  audio: Pick<AudioSource, 'durationMs'>;
  /** Plan of a dialled party; by default it answers at once. */
  callee?: (request: DialRequest) => CalleePlan;
  /** Called with the far end of every dialled leg, before any event on it. */
  dialled?: (farEnd: FarEnd, request: DialRequest) => void;
  /** Plan of the stream receiver at this address; by default it accepts. */
  sink?: (url: string) => SinkPlan;
  /** Script of the AI agent of a step; by default it cannot be reached. */
  agent?: (step: string) => readonly SimulatedAgentAct[] | undefined;
}

export type SimulatedCaller = Omit<IncomingLeg, 'legId'>;

export class SimulatedEngine implements Engine {
  readonly name = 'simulated';
  readonly capabilities = ALL_CAPABILITIES;
  readonly #options: SimulatedEngineOptions;
  readonly #legs = new Map<string, SimulatedLeg>();
  readonly #mixes = new SimulatedMixes<SimulatedLeg>();
  #host: EngineHost | undefined;
  #running = false;

  /** Browsers that call; `farEnds` are their far ends, oldest first. */
  readonly browsers: BrowserLegs & { readonly farEnds: readonly FarEnd[] };

  constructor(options: SimulatedEngineOptions) {
    this.#options = options;
    this.browsers = new SimulatedBrowsers((legId) => this.#leg(legId, 'inbound', { from: '', to: '' }, () => true));
  }

  async start(host: EngineHost): Promise<void> {
    this.#host = host;
    this.#running = true;
  }

  async stop(): Promise<void> {
    this.#running = false;
    // If the engine is stopped from inside one of its events, the others follow.
    await Promise.resolve();
    for (const leg of [...this.#legs.values()]) leg.stop();
  }

  /** Starts an inbound call. If the engine is not running, the far end has ended on return. */
  call(caller: SimulatedCaller): FarEnd {
    const legId = this.#options.ids.next('leg');
    let announced = false;
    const leg = this.#leg(legId, 'inbound', caller, () => announced);
    this.#options.clock.after(0, () => {
      if (!this.#running) return;
      announced = true;
      const { headers, ...others } = caller;
      this.#host?.incoming({ legId, ...others, ...(headers && { headers: asReceived(headers) }) });
    });
    if (!this.#running) leg.lose();
    return leg;
  }

  dial(request: DialRequest): void {
    if (this.#legs.has(request.legId)) return;
    const leg = this.#leg(request.legId, 'outbound', request, () => true);
    leg.receiveHeaders('invite', request.headers);
    this.#options.dialled?.(leg, request);
    if (this.#running) leg.dial(this.#options.callee?.(request) ?? { does: 'answer' }, request.ringTimeoutMs);
    else leg.lose();
  }

  send(legId: string, command: LegCommand): void {
    this.#legs.get(legId)?.send(command);
  }

  #leg(
    legId: string,
    direction: 'inbound' | 'outbound',
    { from, to }: { from: string; to: string },
    isKnown: () => boolean,
  ): SimulatedLeg {
    const { clock, audio, sink = () => ({ does: 'accept' }), agent = () => undefined } = this.#options;
    const mixes = this.#mixes;
    const emit = (event: LegEvent): void => {
      if (event.type === 'ended') this.#legs.delete(legId);
      if (isKnown()) this.#host?.event(legId, event);
    };
    const leg = new SimulatedLeg({ legId, direction, from, to, clock, audio, mixes, sink, agent, emit });
    this.#legs.set(legId, leg);
    return leg;
  }
}
