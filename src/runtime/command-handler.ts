/**
 * Where REST, and the answers of webhooks, meet the call: a command is refused by the state of the call, done at the
 * root, handed to a step that waits for it, or kept until one does. Its signals and refusals are in `command.ts`.
 *
 * Invariant: a command that is refused is no input and changes nothing; each that is not gets its `in` entry first.
 */

import { HOLD_MUSIC } from '../core/built-in-sounds.ts';
import { faultIn } from '../core/fault.ts';
import { isObject, type Json } from '../core/json.ts';
import type { AudioItem } from '../core/leg.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import type { BackgroundMedia, OpenedRecording } from './background-media.ts';
import { MAX_RECORDING_MS } from './background-media.ts';
import type { Bridges } from './bridges.ts';
import type { Signal } from './command.ts';
import { permissionOf, refusalOf, signalOf } from './command.ts';
import type { Decision } from './decision.ts';
import type { FlowExecutions } from './flow-executions.ts';
import type { CallCommand, CallInput, CallRecord, CommandReply, Direction, Refusal } from './journal.ts';
import type { Legs } from './legs.ts';
import { calledFlow, endReason, STOP } from './preemption.ts';
import type { StepRun } from './step-run.ts';
import type { TypedAhead } from './typed-ahead.ts';

type CommandInput = Extract<CallInput, { type: 'command' }>;
type CommandOf<Type extends CallCommand['type']> = Extract<CallCommand, { type: Type }>;

/** What the desk needs of its call. */
export interface CommandHost extends Decision {
  readonly legs: Legs;
  readonly executions: FlowExecutions;
  readonly bridges: Bridges;
  readonly media: BackgroundMedia;
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

export class CommandHandler {
  readonly #host: CommandHost;
  readonly #rules: CommandRules;
  readonly #queued: CallCommand[] = [];
  /** What the call was made with, for when it is answered. */
  readonly #orders: CallCommand[] = [];

  constructor(host: CommandHost, rules: CommandRules) {
    this.#host = host;
    this.#rules = rules;
  }

  async handle(input: CommandInput): Promise<CommandReply> {
    const { command } = input;
    if (input.source === 'order' && this.#host.legs.main.state === 'ringing') {
      this.#host.append({ kind: 'in', input });
      this.#orders.push(command);
      return { ok: true };
    }
    const refusal = this.#refusalOf(command);
    if (refusal) return this.#refuse(input, refusal);
    const taken = this.#bound(input);
    if (taken.command.type === 'recording' && taken.command.action === 'start') {
      return this.#startRecording(taken, taken.command);
    }
    this.#host.append({ kind: 'in', input: taken });
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
    const { media } = this.#host;
    for (const command of this.#orders.splice(0)) {
      if (command.type === 'recording') {
        const opened = media.openRecording(command.name);
        if (!('fault' in opened)) media.beginRecording(opened, MAX_RECORDING_MS, 0);
      } else if (command.type === 'stream' && command.action === 'start') {
        media.startStream(command, 0);
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
    this.#host.append({ kind: 'unplayed', playId, ...more });
  }

  #refuse({ command, source }: CommandInput, refusal: Refusal): CommandReply {
    if (source === 'webhook') {
      const message = `the answer asks for ${command.type}: ${refusal}`;
      this.#host.append({ kind: 'diagnostic', code: 'answer_refused', message });
    } else {
      this.#host.append({ kind: 'refused', command: command.type, refusal });
    }
    return { ok: false, refusal };
  }

  #refusalOf(command: CallCommand): Refusal | undefined {
    const { legs, executions, bridges, media, isClosing, isAnswered, direction } = this.#host;
    const { flow, strictBridgeState } = this.#rules;
    const { main } = legs;
    const signal = signalOf(command);
    const refusal = refusalOf(command, {
      over: isClosing || main.state === 'ended' || main.isEnding,
      allowed: this.#allows(command),
      awaited: executions.stepRuns.some(({ wait }) => wait?.signals?.includes(signal.name)),
      handled: executions.handles(signal.name),
      answered: isAnswered || direction === 'outbound',
      ringing: main.state === 'ringing',
      occupation: executions.stepRuns.find(({ definition }) => definition.activity)?.definition.activity,
      bridged: bridges.isBridged,
      strict: strictBridgeState,
      recording: media.isRecording,
      streaming: media.isStreaming,
      yields: executions.preemptibleBy(signal.name) !== undefined,
      queued: this.#keptPlay ? 'play' : this.#queued.length > 0 ? 'order' : undefined,
      waitsLater: waitsForCommands(flow, this.#rules.flowNamed),
    });
    if (refusal) return refusal;
    if (command.type === 'outcome') return executions.refusalOf(command.outcome, command.set);
    if (command.type === 'stream' && command.action === 'start' && !media.mayStream(command.url)) {
      return 'target_refused';
    }
    return undefined;
  }

  async #perform(command: CallCommand): Promise<CommandReply> {
    const { legs, executions } = this.#host;
    switch (command.type) {
      case 'hangup':
        legs.hangUp(legs.main, command.cause);
        return { ok: true };
      case 'hold':
        this.#hold(command);
        return { ok: true };
      case 'recording':
        return this.#moveRecording(command);
      case 'stream':
        return this.#stream(command);
      case 'outcome':
        await executions.force(command.outcome, command.set);
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
    this.#unplayed(kept, endReason(signal));
    return kept.playId;
  }

  async #stopPlay(): Promise<string> {
    const { executions, record } = this.#host;
    const stepRun = executions.preemptibleBy(STOP);
    if (!stepRun) return this.#dropKeptPlay(STOP) ?? '';
    const playId = isObject(stepRun.input) ? stepRun.input['play_id'] : undefined;
    await executions.preempt(stepRun, STOP);
    return typeof playId === 'string' ? playId : `${record.callId}:${stepRun.number}`;
  }

  async #signal(command: CallCommand): Promise<void> {
    const { executions } = this.#host;
    const signal = signalOf(command);
    const stepRun = executions.stepRuns.find(({ wait }) => wait?.signals?.includes(signal.name));
    if (stepRun) return executions.resume(stepRun, signal);
    if (command.type === 'event' && executions.handles(signal.name))
      this.#host.interruptedBy(command.name, command.data);
    if (await executions.interrupt(signal.name)) return;
    const giving = executions.preemptibleBy(signal.name);
    if (command.type !== 'play') this.#dropKeptPlay(signal.name);
    this.#queued.push(command);
    if (giving) await this.#giveWay(giving, signal.name);
    else if ('accepts' in command && command.accepts) await this.#accept();
  }

  /** The step ends, and its flow comes to one that takes what is kept. */
  async #giveWay(stepRun: StepRun, signal: string): Promise<void> {
    const { legs, executions, typedAhead } = this.#host;
    if (stepRun.definition.activity !== 'prompt') {
      // What was pressed there, and the music of who is held there, are for nobody after it.
      typedAhead.take();
      if (legs.main.isHeld) legs.send(legs.main, { type: 'resume' }, 0);
    }
    await executions.preempt(stepRun, signal);
  }

  /** Now, or when the flow waits for it. */
  async #accept(): Promise<void> {
    const { legs, executions, direction } = this.#host;
    if (direction !== 'inbound' || legs.main.state !== 'ringing' || !this.#allows({ type: 'accept' })) return;
    const accept = signalOf({ type: 'accept' });
    const stepRun = executions.stepRuns.find(({ wait }) => wait?.signals?.includes(accept.name));
    if (stepRun) await executions.resume(stepRun, accept);
    else this.#queued.push({ type: 'accept' });
  }

  #allows(command: CallCommand): boolean {
    return this.#rules.flow.api[permissionOf(command)] !== false;
  }

  #hold({ hold, music }: CommandOf<'hold'>): void {
    const { legs } = this.#host;
    if (hold === legs.main.isHeld) return;
    legs.send(legs.main, hold ? { type: 'hold', music: [...this.#music(music)] } : { type: 'resume' }, 0);
  }

  #music(written: Json | undefined): readonly AudioItem[] {
    if (written === undefined) return HOLD_MUSIC;
    try {
      return this.#host.executions.main.scope.prompt(written);
    } catch (error) {
      if (!faultIn(error)) throw error;
      return HOLD_MUSIC;
    }
  }

  #startRecording(input: CommandInput, { name, bridgeId }: CommandOf<'recording'>): CommandReply {
    const { media } = this.#host;
    const opened: OpenedRecording | { fault: { code: string } } = media.openRecording(name, { quiet: true });
    if ('fault' in opened) {
      return this.#refuse(input, opened.fault.code === 'name_taken' ? 'recording_name_taken' : 'recording_failed');
    }
    this.#host.append({ kind: 'in', input });
    media.beginRecording(opened, MAX_RECORDING_MS, 0, bridgeId);
    return { ok: true, id: opened.id };
  }

  #moveRecording({ action }: CommandOf<'recording'>): CommandReply {
    const { media } = this.#host;
    const id = media.recordingId;
    if (action === 'stop') media.stopRecording(0);
    else media.pauseRecording(action === 'pause', 0);
    return { ok: true, ...(id === undefined ? {} : { id }) };
  }

  #stream(command: CommandOf<'stream'>): CommandReply {
    const { media } = this.#host;
    if (command.action === 'start') media.startStream(command, 0, command.bridgeId);
    const id = media.streamId;
    if (command.action === 'stop') media.stopStream(0);
    return { ok: true, ...(id === undefined ? {} : { id }) };
  }
}

/** Itself, or in a flow that it names; what those call is not looked at. */
function waitsForCommands({ steps }: CompiledFlow, flowNamed: CommandRules['flowNamed']): boolean {
  return [...steps.values()].some(({ verb, args }) => {
    if (verb === 'wait_for') return true;
    const called = verb === 'subflow' ? calledFlow(args) : undefined;
    const flow = called === undefined ? undefined : flowNamed(called);
    return [...(flow?.steps.values() ?? [])].some((step) => step.verb === 'wait_for');
  });
}
