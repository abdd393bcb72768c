/**
 * Runs a script: consecutive actions of the caller, of other parties, or of an application that uses REST.
 * `scripted-party.ts` is one party, `simulated-call.ts` the call; `scenario.ts` advances time.
 *
 * Invariant: no action waits forever; the end of the call ends its wait.
 */
import { factsOf } from '../../language/flow/verb-facts.ts';
import type { FarEnd } from '../../media/telephony/simulated/far-end.ts';
import type { CallCommand, JournalEntry } from '../../service/runtime/journal.ts';
import type { PartyMock } from './scenario-parties.ts';
import type { ScriptAction, ScriptCommand } from './script-actions.ts';
import { type ScriptContext, ScriptedParty, ScriptFailure } from './scripted-party.ts';
import type { SimulatedCall } from './simulated-call.ts';

/** True for verbs whose deadline is the timeout for a silent party, or for an event that does not occur. */
const hasSilenceTimeout = (verb: string): boolean => factsOf(verb).listens === 'asks' || verb === 'wait_for';

/** Steps without questions during which a caller may press keys. */
const LISTENING: readonly string[] = ['records', 'talks', 'converses', 'always', 'detects'];

/** The caller of the call under test. */
export const CALLER = 'caller';

export class ScriptRunner implements ScriptContext {
  readonly caller: ScriptedParty;
  readonly #stage: SimulatedCall;
  /** Places the call of another caller in the scenario. */
  readonly #callIn: (name: string) => FarEnd;
  readonly #waiting = new Set<{ holds: () => boolean; go: () => void }>();
  readonly #verbs = new Map<number, string>();
  readonly #silenceTimers = new Set<number>();
  /** True if the flow asks the caller something. */
  readonly #asks: boolean;
  /** True once the caller may act after a prompt: a question was asked, or a step listens otherwise. */
  #mayAct = false;
  /** In the order of their calls. A party that was called twice appears twice. */
  readonly #others: ScriptedParty[] = [];
  #timedOut = 0;
  #commands = 0;

  constructor(call: SimulatedCall, callIn: (name: string) => FarEnd, { asks }: { asks: boolean }) {
    this.#asks = asks;
    this.#stage = call;
    this.#callIn = callIn;
    this.caller = new ScriptedParty(CALLER, call.farEnd, this);
  }

  get clock(): SimulatedCall['clock'] {
    return this.#stage.clock;
  }

  get hasEnded(): boolean {
    return this.#stage.farEnd.state === 'ended';
  }

  /** All parties except the caller. */
  get others(): readonly ScriptedParty[] {
    return this.#others;
  }

  /** Must be called with every journal entry. */
  onEntry(entry: JournalEntry): void {
    if (entry.kind === 'entered') {
      this.#verbs.set(entry.visit, entry.verb);
      this.#mayAct ||= LISTENING.includes(factsOf(entry.verb).listens ?? '');
    }
    if (entry.kind === 'timer' && hasSilenceTimeout(this.#verbs.get(entry.visit) ?? '')) {
      this.#silenceTimers.add(entry.timer);
      this.#mayAct = true;
    }
    if (entry.kind === 'in' && entry.input.type === 'deadline' && this.#silenceTimers.has(entry.input.timer)) {
      this.#timedOut++;
    }
    this.recheckWaiters();
  }

  /** Called when the flow calls a party. */
  partyDialled(name: string, farEnd: FarEnd, mock: PartyMock): void {
    const party = new ScriptedParty(name, farEnd, this);
    this.#others.push(party);
    void party.followMock(mock);
    this.recheckWaiters();
  }

  /** Rejects with a `ScriptFailure`. */
  async run(script: readonly ScriptAction[]): Promise<void> {
    const [first] = script;
    // A key that is pressed before the first question would cut the prompt before it.
    if (this.#asks && first?.act === 'press' && first.atMs === undefined) {
      await this.waitUntil(() => this.#mayAct || this.hasEnded);
    }
    for (const act of script) await this.#perform(act);
  }

  async #perform(act: ScriptAction): Promise<void> {
    switch (act.act) {
      case 'silence': {
        const before = this.#timedOut;
        return this.waitUntil(() => this.#timedOut > before || this.hasEnded);
      }
      case 'call':
        if (this.hasEnded) throw new ScriptFailure(act.location, `${act.name} to call in`, 'the call was over');
        this.#others.push(new ScriptedParty(act.name, this.#callIn(act.name), this));
        return;
      case 'party': {
        const party = await this.#actor(act);
        for (const each of act.acts) await party.perform(each);
        return;
      }
      case 'command':
        return this.#ask(act);
      default:
        return this.caller.perform(act);
    }
  }

  async #actor({ name, location }: Extract<ScriptAction, { act: 'party' }>): Promise<ScriptedParty> {
    if (name === CALLER) return this.caller;
    const find = (): ScriptedParty | undefined => this.#others.findLast((party) => party.name === name);
    await this.waitUntil(() => find() !== undefined || this.hasEnded);
    const found = find();
    if (found) return found;
    throw new ScriptFailure(location, `a call of ${name}`, 'there was none until the call ended');
  }

  async #ask({ command, refused, location }: Extract<ScriptAction, { act: 'command' }>): Promise<void> {
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

  // --- ScriptContext

  waitUntil(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((go) => this.#waiting.add({ holds, go }));
  }

  recheckWaiters(): void {
    for (const waiter of [...this.#waiting]) {
      if (!waiter.holds()) continue;
      this.#waiting.delete(waiter);
      waiter.go();
    }
  }

  nameOf(farEnd: FarEnd): string {
    return [this.caller, ...this.#others].find((party) => party.farEnd === farEnd)?.name ?? farEnd.to;
  }

  farEndOf(name: string): FarEnd | undefined {
    if (name === CALLER) return this.caller.farEnd;
    return this.#others.findLast((party) => party.name === name)?.farEnd;
  }
}
