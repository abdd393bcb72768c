/**
 * Plays a script: one act after the other, by the caller or by others, and what an application asks by REST. Neighbours:
 * `actor.ts` is each party, `stage.ts` the call, `scenario.ts` lets time pass meanwhile.
 *
 * Invariant: an act never blocks for ever; the end of the call ends its waiting.
 */
import type { CallCommand, JournalEntry } from '../runtime/journal.ts';
import type { FarEnd } from '../telephony/simulated/far-end.ts';
import { Actor, type Ensemble, ScriptFailure } from './actor.ts';
import type { Act, ScriptCommand } from './scenario-acts.ts';
import type { PartyMock } from './scenario-parties.ts';
import type { Stage } from './stage.ts';

/** Verbs whose deadline is the patience with a silent party. */
const PATIENT_VERBS = new Set(['collect', 'menu', 'wait_for']);

/** The call of the test. */
export const CALLER = 'caller';

export interface PerformerPorts {
  /** Another caller of the scenario calls in. */
  call(name: string): FarEnd;
}

export class Performer implements Ensemble {
  readonly caller: Actor;
  readonly #stage: Stage;
  readonly #ports: PerformerPorts;
  readonly #waiting = new Set<{ holds: () => boolean; go: () => void }>();
  readonly #verbs = new Map<number, string>();
  readonly #patience = new Set<number>();
  /** In the order in which they came; a party that was called twice is there twice. */
  readonly #others: Actor[] = [];
  #outOfPatience = 0;
  #commands = 0;

  constructor(stage: Stage, ports: PerformerPorts) {
    this.#stage = stage;
    this.#ports = ports;
    this.caller = new Actor(CALLER, stage.farEnd, this);
  }

  get clock(): Stage['clock'] {
    return this.#stage.clock;
  }

  get isOver(): boolean {
    return this.#stage.farEnd.state === 'ended';
  }

  /** All but the caller. */
  get others(): readonly Actor[] {
    return this.#others;
  }

  /** Must be told of every entry of the journal. */
  committed(entry: JournalEntry): void {
    if (entry.kind === 'entered') this.#verbs.set(entry.visit, entry.verb);
    if (entry.kind === 'timer' && PATIENT_VERBS.has(this.#verbs.get(entry.visit) ?? '')) {
      this.#patience.add(entry.timer);
    }
    if (entry.kind === 'in' && entry.input.type === 'deadline' && this.#patience.has(entry.input.timer)) {
      this.#outOfPatience++;
    }
    this.wake();
  }

  /** The flow called somebody. */
  joined(name: string, farEnd: FarEnd, mock: PartyMock): void {
    const actor = new Actor(name, farEnd, this);
    this.#others.push(actor);
    void actor.live(mock);
    this.wake();
  }

  /** Rejects with a `ScriptFailure`. */
  async perform(script: readonly Act[]): Promise<void> {
    for (const act of script) await this.#perform(act);
  }

  async #perform(act: Act): Promise<void> {
    switch (act.act) {
      case 'silence': {
        const before = this.#outOfPatience;
        return this.until(() => this.#outOfPatience > before || this.isOver);
      }
      case 'call':
        if (this.isOver) throw new ScriptFailure(act.location, `${act.name} to call in`, 'the call was over');
        this.#others.push(new Actor(act.name, this.#ports.call(act.name), this));
        return;
      case 'party': {
        const actor = await this.#actor(act);
        for (const each of act.acts) await actor.act(each);
        return;
      }
      case 'command':
        return this.#ask(act);
      default:
        return this.caller.act(act);
    }
  }

  async #actor({ name, location }: Extract<Act, { act: 'party' }>): Promise<Actor> {
    if (name === CALLER) return this.caller;
    const find = (): Actor | undefined => this.#others.findLast((actor) => actor.name === name);
    await this.until(() => find() !== undefined || this.isOver);
    const found = find();
    if (found) return found;
    throw new ScriptFailure(location, `a call of ${name}`, 'there was none until the call ended');
  }

  async #ask({ command, refused, location }: Extract<Act, { act: 'command' }>): Promise<void> {
    const reply = await this.#stage.command(this.#commandOf(command));
    const given = reply.ok ? 'was accepted' : `was refused: ${reply.refusal}`;
    const wanted = refused === undefined ? 'was accepted' : `was refused: ${refused}`;
    if (given !== wanted) throw new ScriptFailure(location, `a ${command.type} that ${wanted}`, `it ${given}`);
  }

  #commandOf(command: ScriptCommand): CallCommand {
    switch (command.type) {
      case 'play':
        return { ...command, playId: this.#nextId() };
      case 'bridge':
        return { ...command, bridgeId: this.#nextId() };
      case 'transfer':
        return { ...command, channelId: this.#nextId() };
      default:
        return command;
    }
  }

  #nextId(): string {
    return `api-${++this.#commands}`;
  }

  // What actors need

  until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((go) => this.#waiting.add({ holds, go }));
  }

  wake(): void {
    for (const waiter of [...this.#waiting]) {
      if (!waiter.holds()) continue;
      this.#waiting.delete(waiter);
      waiter.go();
    }
  }

  nameOf(farEnd: FarEnd): string {
    return [this.caller, ...this.#others].find((actor) => actor.farEnd === farEnd)?.name ?? farEnd.to;
  }

  farEndOf(name: string): FarEnd | undefined {
    if (name === CALLER) return this.caller.farEnd;
    return this.#others.findLast((actor) => actor.name === name)?.farEnd;
  }
}
