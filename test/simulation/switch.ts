/**
 * An engine that outlives the nodes which command it, as Asterisk does: commands arrive after a delay, events go to the
 * node that holds the connection of their leg. Events without such a node are lost, but their state can be queried.
 * Answers use another channel than events and arrive later.
 */
import { type Cause, NORMAL_CLEARING } from '../../src/base/core/causes.ts';
import { countingIds } from '../../src/base/core/ids.ts';
import type { LegCommand, LegEvent } from '../../src/base/core/leg.ts';
import { answeredRequestOf, requestKeyOf } from '../../src/base/core/leg-answers.ts';
import { HeldEvents } from '../../src/media/telephony/asterisk/held-events.ts';
import type { DialRequest, Engine, LegAtEngine, SurvivingEngine } from '../../src/media/telephony/engine.ts';
import { SimulatedEngine } from '../../src/media/telephony/simulated/engine.ts';
import { silentAudio } from '../../src/proof/testkit/silent-audio.ts';
import { calleeOf, playFarEnd } from './callers.ts';
import type { Guards } from './guards.ts';
import type { NodeLife } from './node-life.ts';
import type { Outside } from './outside.ts';
import type { CallPlan } from './plan.ts';
import type { World } from './world.ts';

/** Maximum delay of answers after events. */
const MAX_LATE_MS = 100;

interface SwitchLeg {
  holder: NodeLife | undefined;
  /** Fence of the holder. */
  fence: number;
  state: LegAtEngine['state'];
  /** Set for the leg of a dialled party. */
  request?: DialRequest;
  cause?: Cause;
  commands: number;
  readonly open: Set<string>;
}

export class Switch {
  readonly #world: World;
  readonly #outside: Outside;
  readonly #guards: Guards;
  readonly #engine: SimulatedEngine;
  readonly #legs = new Map<string, SwitchLeg>();
  readonly #planned = new Map<string, CallPlan>();
  /** By node, held events of legs that an adopter is querying. */
  readonly #held = new Map<string, HeldEvents<LegEvent>>();
  /** Messages of one node arrive in their order. */
  readonly #lastMs = new Map<string, number>();

  constructor(world: World, outside: Outside, guards: Guards) {
    this.#world = world;
    this.#outside = outside;
    this.#guards = guards;
    this.#engine = new SimulatedEngine({
      clock: world.clock,
      ids: countingIds(),
      audio: silentAudio(),
      callee: (request) => calleeOf(this.#planned.get(request.to)),
      dialled: (farEnd, request) => playFarEnd(farEnd, this.#planned.get(request.to), world.clock),
    });
    void this.#engine.start({
      incoming: ({ legId, from, to }) => {
        const holder = this.#legs.get(legId)?.holder;
        this.#after(`to ${holder?.id}`, () => holder?.run(() => holder.incoming(legId, from, to)));
      },
      event: (legId, event) => this.#happened(legId, event),
    });
  }

  plan(plan: CallPlan): void {
    this.#planned.set(plan.number, plan);
  }

  /** A call arrives and is assigned to this node. */
  call(plan: CallPlan, holder: NodeLife): void {
    const farEnd = this.#engine.call({ from: plan.number, to: '1000' });
    this.#legs.set(farEnd.legId, newLeg(holder));
    playFarEnd(farEnd, plan, this.#world.clock);
  }

  /** The engine as a node commands it. */
  of(life: NodeLife): Pick<Engine, 'dial' | 'send' | 'release'> & SurvivingEngine {
    const held = this.#heldOf(life);
    const found = new Map<string, LegAtEngine>();
    const take = async (legId: string, fence: number): Promise<void> => {
      await this.#ask(life, () => this.#take(this.#leg(legId), life, fence));
      found.set(legId, await this.#ask(life, () => this.#inspect(legId)));
    };
    const hear = (legId: string, event: LegEvent): void => {
      if (this.#guards.hold) life.legEvent(legId, event);
    };
    return {
      // Its legs belong to the node that has adopted the call.
      release: () => undefined,
      dial: (request) => {
        if (!life.isDead) this.#after(life.id, () => this.#dial(life, request), life.stalledUntilMs);
      },
      send: (legId, command) => {
        if (!life.isDead) this.#after(life.id, () => this.#send(life, legId, command), life.stalledUntilMs);
      },
      take: async (legs, fence) => {
        const taken = legs.map(({ legId }) =>
          held.during(
            legId,
            () => take(legId, fence),
            (event) => hear(legId, event),
          ),
        );
        await Promise.all(taken);
      },
      inspect: async (legId) => found.get(legId) ?? { state: 'none', commands: 0, isOpen: () => false },
    };
  }

  #dial(life: NodeLife, request: DialRequest): void {
    const leg = this.#leg(request.legId);
    if (!this.#mayCommand(leg, life)) return;
    leg.holder ??= life;
    if (leg.state !== 'none' && leg.state !== 'created') return;
    leg.state = 'created';
    leg.request = request;
    this.#say(request.legId, leg, { type: 'created' });
  }

  /** A channel that is dialled again rings again. */
  #ring(life: NodeLife, leg: SwitchLeg): void {
    if (!leg.request) return;
    leg.state = 'ringing';
    this.#outside.dialled(life.id, leg.request);
    this.#engine.dial(leg.request);
  }

  #send(life: NodeLife, legId: string, command: LegCommand): void {
    const leg = this.#leg(legId);
    if (!this.#mayCommand(leg, life)) return;
    if (command.type !== 'dial') this.#outside.commanded(life.id, legId, command);
    leg.commands++;
    const key = requestKeyOf(command);
    if (key !== undefined && leg.state !== 'ended') leg.open.add(key);
    if (command.type === 'dial') this.#ring(life, leg);
    else if (command.type === 'hangup' && leg.state === 'created') {
      this.#happened(legId, { type: 'ended', cause: NORMAL_CLEARING, by: 'near' });
    } else this.#engine.send(legId, command);
  }

  /** Late commands of an earlier adopter have no effect. */
  #take(leg: SwitchLeg, life: NodeLife, fence: number): void {
    if (fence < leg.fence) return;
    leg.holder = life;
    leg.fence = fence;
  }

  #mayCommand({ holder }: SwitchLeg, life: NodeLife): boolean {
    return !this.#guards.connection || holder === undefined || holder === life;
  }

  #inspect(legId: string): LegAtEngine {
    const { state, cause, commands, open } = this.#leg(legId);
    const running = new Set(open);
    return {
      state: this.#guards.ask ? state : 'none',
      ...(cause ? { cause } : {}),
      commands: this.#guards.ask ? commands : 0,
      isOpen: (key) => running.has(key),
    };
  }

  #happened(legId: string, event: LegEvent): void {
    const leg = this.#leg(legId);
    if (event.type === 'answered') leg.state = 'connected';
    if (event.type === 'ended') {
      leg.state = 'ended';
      leg.cause = event.cause;
      leg.open.clear();
    }
    const answer = answeredRequestOf(event);
    if (answer?.isFinal) leg.open.delete(answer.name);
    this.#say(legId, leg, event);
  }

  /** Events are lost while no node holds the leg. */
  #say(legId: string, leg: SwitchLeg, event: LegEvent): void {
    const { holder } = leg;
    if (!holder) return;
    this.#after(`to ${holder.id}`, () => {
      if (leg.holder !== holder) return;
      holder.run(() => {
        if (!this.#heldOf(holder).keep(legId, event)) holder.legEvent(legId, event);
      });
    });
  }

  #heldOf({ id }: NodeLife): HeldEvents<LegEvent> {
    const held = this.#held.get(id) ?? new HeldEvents();
    this.#held.set(id, held);
    return held;
  }

  #ask<Value>(life: NodeLife, look: () => Value): Promise<Value> {
    return new Promise((resolve) => {
      this.#after(life.id, () => {
        const found = look();
        const lateMs = this.#world.nowMs + this.#world.int(0, MAX_LATE_MS);
        this.#after(`answers to ${life.id}`, () => life.run(() => resolve(found)), lateMs);
      });
    });
  }

  #leg(legId: string): SwitchLeg {
    let leg = this.#legs.get(legId);
    if (!leg) {
      leg = newLeg(undefined);
      this.#legs.set(legId, leg);
    }
    return leg;
  }

  #after(way: string, happen: () => void, notBeforeMs = 0): void {
    const soonMs = this.#world.nowMs + this.#world.int(0, 3);
    const atMs = Math.max(this.#lastMs.get(way) ?? 0, soonMs, notBeforeMs);
    this.#lastMs.set(way, atMs);
    this.#world.at(atMs, happen);
  }
}

const newLeg = (holder: NodeLife | undefined): SwitchLeg => ({
  holder,
  fence: 0,
  state: 'none',
  commands: 0,
  open: new Set(),
});
