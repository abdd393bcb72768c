/** Host of the engine contract: records events, and finds violated invariants. */
import type { LegCommand, LegEvent } from '../../../src/base/core/leg.ts';
import { answeredRequestOf, requestKeyOf } from '../../../src/base/core/leg-answers.ts';
import type { DialRequest, Engine, EngineHost, IncomingLeg } from '../../../src/media/telephony/engine.ts';

/** Host that checks the invariants of an engine, also that no event is emitted inside a call to the engine (E4). */
export class InvariantChecker implements EngineHost {
  readonly legs = new Map<string, LegEvent[]>();
  readonly arrivals: IncomingLeg[] = [];
  /** Ids by leg, and whether an answer is owed: between a hang-up and its `ended` the leg may be gone or not. */
  readonly awaited = new Map<string, Map<string, 'owed' | 'free'>>();
  readonly ending = new Set<string>();
  readonly broken: string[] = [];
  readonly #engine: Engine;
  #inside: string | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  incoming(leg: IncomingLeg): void {
    this.arrivals.push(leg);
    this.legs.set(leg.legId, []);
  }

  event(legId: string, event: LegEvent): void {
    if (this.#inside) this.broken.push(`E4: ${event.type} came from inside ${this.#inside}`);
    const events = this.legs.get(legId);
    if (events) events.push(structuredClone(event));
    else this.broken.push(`${event.type} of a leg that nobody was told of`);
  }

  send(legId: string, command: LegCommand): void {
    const id = requestKeyOf(command);
    const over = this.legs.get(legId)?.some(({ type }) => type === 'ended') ?? true;
    const before = this.awaited.get(legId) ?? new Map<string, 'owed' | 'free'>();
    if (id && !over) this.awaited.set(legId, before.set(id, this.ending.has(legId) ? 'free' : 'owed'));
    if (command.type === 'hangup' || command.type === 'reject') this.ending.add(legId);
    this.#within(command.type, () => this.#engine.send(legId, command));
  }

  dial(request: DialRequest): void {
    this.legs.set(request.legId, []);
    this.#within('dial', () => this.#engine.dial(request));
  }

  /** Broken invariants of everything that was seen; every leg must be over by now. */
  violations(): string[] {
    const found = [...this.broken];
    for (const [legId, events] of this.legs) {
      const count = (type: LegEvent['type']) => events.filter((event) => event.type === type).length;
      if (count('ended') !== 1) found.push(`E1: ${legId} ended ${count('ended')} times`);
      if (events.at(-1)?.type !== 'ended') found.push(`E1: ${legId} tells ${events.at(-1)?.type} after its end`);
      for (const type of ['answered', 'ringing', 'early_media'] as const) {
        if (count(type) > 1) found.push(`${legId} tells ${type} ${count(type)} times`);
      }
      found.push(...eventsAfterLast(events).map((what) => `E2: ${legId} tells ${what} after its answer`));
      const answers = events.map(answeredRequestOf).flatMap((told) => (told?.isFinal ? told.name : []));
      const asked = this.awaited.get(legId) ?? new Map<string, 'owed' | 'free'>();
      for (const id of new Set([...asked.keys(), ...answers])) {
        const given = answers.filter((each) => each === id).length;
        const isRight = given === 1 ? asked.has(id) : given === 0 && asked.get(id) === 'free';
        if (!isRight) found.push(`E2: ${id} was answered ${given} times`);
      }
    }
    return found;
  }

  #within(what: string, act: () => void): void {
    this.#inside = what;
    try {
      act();
    } catch (error) {
      this.broken.push(`E3: ${what} threw ${String(error)}`);
    }
    this.#inside = undefined;
  }
}

/** Events of a stream or a recognition after its final event. */
function eventsAfterLast(events: readonly LegEvent[]): string[] {
  const over = new Set<string>();
  return events.flatMap((event) => {
    const told = answeredRequestOf(event);
    if (!told) return [];
    if (told.isFinal) over.add(told.name);
    return !told.isFinal && over.has(told.name) ? [event.type] : [];
  });
}
