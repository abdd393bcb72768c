/**
 * Where REST, and the answers of webhooks, meet the call: a command is refused by the state of the call, done at the
 * root, handed to a step that waits for it, or kept until one does. Its signals and refusals are in `command.ts`.
 *
 * Invariant: a command that is refused is no input and changes nothing; each that is not gets its `in` entry first.
 */
import { faultIn } from '../core/fault.ts';
import { isObject, type Json } from '../core/json.ts';
import type { AudioItem } from '../core/leg.ts';
import { HOLD_MUSIC } from '../core/sounds.ts';
import type { CompiledFlow } from '../flow/types.ts';
import type { Background, OpenedRecording } from './background.ts';
import { LONGEST_RECORDING_MS } from './background.ts';
import type { Bridges } from './bridges.ts';
import type { Signal } from './command.ts';
import { permissionOf, refusalOf, signalOf } from './command.ts';
import type { Decision } from './decision.ts';
import { calledBy, STOP, wordsOfEnd } from './giving-way.ts';
import type { CallCommand, CallRecord, CommandReply, Direction, Refusal, RunInput } from './journal.ts';
import type { Lines } from './lines.ts';
import type { TypedAhead } from './typed-ahead.ts';
import type { Visit } from './visit.ts';
import type { Ways } from './ways.ts';

type CommandInput = Extract<RunInput, { type: 'command' }>;
type CommandOf<Type extends CallCommand['type']> = Extract<CallCommand, { type: Type }>;

/** What the desk needs of its call. */
export interface CommandHost extends Decision {
  readonly lines: Lines;
  readonly ways: Ways;
  readonly bridges: Bridges;
  readonly background: Background;
  readonly typedAhead: TypedAhead;
  readonly record: Pick<CallRecord, 'callId'>;
  /** The flow is over. */
  readonly isClosing: boolean;
  readonly isAnswered: boolean;
  readonly direction: Direction;
  /** An application's event is about to interrupt the flow. */
  interruptedBy(name: string, data: Json): void;
}

export interface CommandRules {
  /** The flow with which the call began. */
  flow: CompiledFlow;
  strictBridgeState: boolean;
  flowNamed(name: string): CompiledFlow | undefined;
}

export class CommandDesk {
  readonly #host: CommandHost;
  readonly #rules: CommandRules;
  readonly #queued: CallCommand[] = [];
  /** What the call was made with, for when it is answered. */
  readonly #orders: CallCommand[] = [];

  constructor(host: CommandHost, rules: CommandRules) {
    this.#host = host;
    this.#rules = rules;
  }

  async take(input: CommandInput): Promise<CommandReply> {
    const { command } = input;
    if (input.source === 'order' && this.#host.lines.main.state === 'ringing') {
      this.#host.note({ kind: 'in', input });
      this.#orders.push(command);
      return { ok: true };
    }
    const refusal = this.#refusalOf(command);
    if (refusal) return this.#refuse(input, refusal);
    const taken = this.#bound(input);
    if (taken.command.type === 'recording' && taken.command.action === 'start') {
      return this.#startRecording(taken, taken.command);
    }
    this.#host.note({ kind: 'in', input: taken });
    return this.#perform(taken.command);
  }

  /** What needs a bridge ends with it. A replay finds that in the journal, and asks no project. */
  #bound(input: CommandInput): CommandInput {
    const { command } = input;
    const { bridgeId } = this.#host.bridges;
    const starts = (command.type === 'recording' || command.type === 'stream') && command.action === 'start';
    if (!starts || !this.#rules.strictBridgeState || bridgeId === undefined) return input;
    return { ...input, command: { ...command, bridgeId } };
  }

  /** The caller is there: what was ordered with the call begins. */
  answered(): void {
    const { background } = this.#host;
    for (const command of this.#orders.splice(0)) {
      if (command.type === 'recording') {
        const opened = background.openRecording(command.name);
        if (!('fault' in opened)) background.beginRecording(opened, LONGEST_RECORDING_MS, 0);
      } else if (command.type === 'stream' && command.action === 'start') {
        background.startStream(command, 0);
      }
    }
  }

  /** A kept command that a step waits for now. */
  takeQueued(signals: readonly string[]): Signal | undefined {
    const index = this.#queued.findIndex((command) => signals.includes(signalOf(command).name));
    return index < 0 ? undefined : signalOf(this.#queued.splice(index, 1)[0]!);
  }

  /** The call ended before the turn of what was kept came. */
  close(): void {
    this.#queued.length = 0;
  }

  #unplayed({ playId, promptRef }: CommandOf<'play'>, why?: string): void {
    const more = { ...(promptRef === undefined ? {} : { promptRef }), ...(why === undefined ? {} : { why }) };
    this.#host.note({ kind: 'unplayed', playId, ...more });
  }

  #refuse({ command, source }: CommandInput, refusal: Refusal): CommandReply {
    if (source === 'webhook') {
      const message = `the answer asks for ${command.type}: ${refusal}`;
      this.#host.note({ kind: 'diagnostic', code: 'answer_refused', message });
    } else {
      this.#host.note({ kind: 'refused', command: command.type, refusal });
    }
    return { ok: false, refusal };
  }

  #refusalOf(command: CallCommand): Refusal | undefined {
    const { lines, ways, bridges, background, isClosing, isAnswered, direction } = this.#host;
    const { flow, strictBridgeState } = this.#rules;
    const { main } = lines;
    const signal = signalOf(command);
    const refusal = refusalOf(command, {
      over: isClosing || main.state === 'ended' || main.leaving,
      allowed: this.#allows(command),
      awaited: ways.visits.some(({ wait }) => wait?.signals?.includes(signal.name)),
      handled: ways.handles(signal.name),
      answered: isAnswered || direction === 'outbound',
      ringing: main.state === 'ringing',
      occupation: ways.visits.find(({ definition }) => definition.occupies)?.definition.occupies,
      bridged: bridges.isBridged,
      strict: strictBridgeState,
      recording: background.isRecording,
      streaming: background.isStreaming,
      yields: ways.yielding(signal.name) !== undefined,
      queued: this.#keptPlay ? 'play' : this.#queued.length > 0 ? 'order' : undefined,
      waitsLater: waitsForCommands(flow, this.#rules.flowNamed),
    });
    if (refusal) return refusal;
    if (command.type === 'outcome') return ways.refusalOf(command.outcome, command.set);
    if (command.type === 'stream' && command.action === 'start' && !background.mayStream(command.url)) {
      return 'target_refused';
    }
    return undefined;
  }

  async #perform(command: CallCommand): Promise<CommandReply> {
    const { lines, ways } = this.#host;
    switch (command.type) {
      case 'hangup':
        lines.hangUp(lines.main, command.cause);
        return { ok: true };
      case 'hold':
        this.#hold(command);
        return { ok: true };
      case 'recording':
        return this.#moveRecording(command);
      case 'stream':
        return this.#stream(command);
      case 'outcome':
        await ways.force(command.outcome, command.set);
        return { ok: true };
      case 'stop_play':
        return { ok: true, id: await this.#stopPlay() };
      default:
        await this.#signal(command);
        return { ok: true };
    }
  }

  get #keptPlay(): CommandOf<'play'> | undefined {
    return this.#queued.find((command) => command.type === 'play');
  }

  /** One that is kept is not heard any more. */
  #dropKeptPlay(signal: string): string | undefined {
    const kept = this.#keptPlay;
    if (!kept) return undefined;
    this.#queued.splice(this.#queued.indexOf(kept), 1);
    this.#unplayed(kept, wordsOfEnd(signal));
    return kept.playId;
  }

  async #stopPlay(): Promise<string> {
    const { ways, record } = this.#host;
    const visit = ways.yielding(STOP);
    if (!visit) return this.#dropKeptPlay(STOP) ?? '';
    const playId = isObject(visit.input) ? visit.input['play_id'] : undefined;
    await ways.giveWay(visit, STOP);
    return typeof playId === 'string' ? playId : `${record.callId}:${visit.number}`;
  }

  async #signal(command: CallCommand): Promise<void> {
    const { ways } = this.#host;
    const signal = signalOf(command);
    const visit = ways.visits.find(({ wait }) => wait?.signals?.includes(signal.name));
    if (visit) return ways.resume(visit, signal);
    if (command.type === 'event' && ways.handles(signal.name)) this.#host.interruptedBy(command.name, command.data);
    if (await ways.interrupt(signal.name)) return;
    const giving = ways.yielding(signal.name);
    if (command.type !== 'play') this.#dropKeptPlay(signal.name);
    this.#queued.push(command);
    if (giving) await this.#giveWay(giving, signal.name);
    else if ('accepts' in command && command.accepts) await this.#accept();
  }

  /** The step ends, and its flow comes to one that takes what is kept. */
  async #giveWay(visit: Visit, signal: string): Promise<void> {
    const { lines, ways, typedAhead } = this.#host;
    if (visit.definition.occupies !== 'prompt') {
      // What was pressed there, and the music of who is held there, are for nobody after it.
      typedAhead.take();
      if (lines.main.held) lines.send(lines.main, { type: 'resume' }, 0);
    }
    await ways.giveWay(visit, signal);
  }

  /** Now, or when the flow waits for it. */
  async #accept(): Promise<void> {
    const { lines, ways, direction } = this.#host;
    if (direction !== 'inbound' || lines.main.state !== 'ringing' || !this.#allows({ type: 'accept' })) return;
    const accept = signalOf({ type: 'accept' });
    const visit = ways.visits.find(({ wait }) => wait?.signals?.includes(accept.name));
    if (visit) await ways.resume(visit, accept);
    else this.#queued.push({ type: 'accept' });
  }

  #allows(command: CallCommand): boolean {
    return this.#rules.flow.api[permissionOf(command)] !== false;
  }

  #hold({ hold, music }: CommandOf<'hold'>): void {
    const { lines } = this.#host;
    if (hold === lines.main.held) return;
    lines.send(lines.main, hold ? { type: 'hold', music: [...this.#music(music)] } : { type: 'resume' }, 0);
  }

  #music(written: Json | undefined): readonly AudioItem[] {
    if (written === undefined) return HOLD_MUSIC;
    try {
      return this.#host.ways.main.outlook.prompt(written);
    } catch (error) {
      if (!faultIn(error)) throw error;
      return HOLD_MUSIC;
    }
  }

  #startRecording(input: CommandInput, { name, bridgeId }: CommandOf<'recording'>): CommandReply {
    const { background } = this.#host;
    const opened: OpenedRecording | { fault: { code: string } } = background.openRecording(name, { quiet: true });
    if ('fault' in opened) {
      return this.#refuse(input, opened.fault.code === 'name_taken' ? 'recording_name_taken' : 'recording_failed');
    }
    this.#host.note({ kind: 'in', input });
    background.beginRecording(opened, LONGEST_RECORDING_MS, 0, bridgeId);
    return { ok: true, id: opened.id };
  }

  #moveRecording({ action }: CommandOf<'recording'>): CommandReply {
    const { background } = this.#host;
    const id = background.recordingId;
    if (action === 'stop') background.stopRecording(0);
    else background.pauseRecording(action === 'pause', 0);
    return { ok: true, ...(id === undefined ? {} : { id }) };
  }

  #stream(command: CommandOf<'stream'>): CommandReply {
    const { background } = this.#host;
    if (command.action === 'start') background.startStream(command, 0, command.bridgeId);
    const id = background.streamId;
    if (command.action === 'stop') background.stopStream(0);
    return { ok: true, ...(id === undefined ? {} : { id }) };
  }
}

/** Itself, or in a flow that it names; what those call is not looked at. */
function waitsForCommands({ steps }: CompiledFlow, flowNamed: CommandRules['flowNamed']): boolean {
  return [...steps.values()].some(({ verb, args }) => {
    if (verb === 'wait_for') return true;
    const called = verb === 'subflow' ? calledBy(args) : undefined;
    const flow = called === undefined ? undefined : flowNamed(called);
    return [...(flow?.steps.values() ?? [])].some((step) => step.verb === 'wait_for');
  });
}
