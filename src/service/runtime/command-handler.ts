/**
 * Handles commands from REST and from webhook responses: a command is refused because of the call's state, performed on
 * the call itself, passed to a waiting step, or queued until a step accepts it. Neighbours: `command-refusals.ts`,
 * `signals.ts`.
 *
 * Invariant: a refused command is not an input and changes nothing; any other gets its `in` entry first.
 */
import { faultIn } from '../../base/core/fault.ts';
import { isObject, type Json } from '../../base/core/json.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import { HOLD_MUSIC } from '../../language/flow/built-in-sounds.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { CallContext } from './call-context.ts';
import { isAllowed, refusalOf } from './command-refusals.ts';
import type { FlowExecutions } from './flow-executions.ts';
import type { CallCommand, CallInput, CommandReply, Refusal } from './journal.ts';
import { endReason, STOP } from './preemption.ts';
import { signalOf } from './signals.ts';
import type { StepRun } from './step-run.ts';

type CommandInput = Extract<CallInput, { type: 'command' }>;
type CommandOf<Type extends CallCommand['type']> = Extract<CallCommand, { type: Type }>;

export class CommandHandler {
  readonly #call: CallContext;
  readonly #executions: FlowExecutions;
  /** Commands of the order that placed the call, applied at the answer. */
  readonly #onAnswer: CallCommand[] = [];

  constructor(call: CallContext, executions: FlowExecutions) {
    this.#call = call;
    this.#executions = executions;
  }

  async handle(input: CommandInput): Promise<CommandReply> {
    const { command } = input;
    if (input.source === 'order' && this.#call.legs.main.state === 'ringing') {
      this.#call.append({ kind: 'in', input });
      this.#onAnswer.push(command);
      return { ok: true };
    }
    const refusal = refusalOf(command, this.#call, this.#executions);
    if (refusal) return this.#refuse(input, refusal);
    const taken = this.#boundToBridge(input);
    if (taken.command.type === 'recording' && taken.command.action === 'start') {
      return this.#startRecording(taken, taken.command);
    }
    this.#call.append({ kind: 'in', input: taken });
    return this.#perform(taken.command);
  }

  /** Binds media that needs a bridge to it. A replay finds the bridge in the journal, and needs no project settings. */
  #boundToBridge(input: CommandInput): CommandInput {
    const { command } = input;
    const { bridgeId } = this.#call.bridges;
    const starts = (command.type === 'recording' || command.type === 'stream') && command.action === 'start';
    if (!starts || !this.#call.isStrict || bridgeId === undefined) return input;
    return { ...input, command: { ...command, bridgeId } };
  }

  /** Performs the commands of the order at the answer. */
  onAnswered(): void {
    for (const command of this.#onAnswer.splice(0)) {
      if (command.type === 'recording' || command.type === 'stream') this.#call.media.perform(command, 0);
    }
  }

  #refuse({ command, source }: CommandInput, refusal: Refusal): CommandReply {
    if (source === 'webhook') {
      const message = `the answer asks for ${command.type}: ${refusal}`;
      this.#call.append({ kind: 'diagnostic', code: 'answer_refused', message });
    } else {
      this.#call.append({ kind: 'refused', command: command.type, refusal });
    }
    return { ok: false, refusal };
  }

  async #perform(command: CallCommand): Promise<CommandReply> {
    const { legs } = this.#call;
    const executions = this.#executions;
    switch (command.type) {
      case 'hangup':
        legs.hangUp(legs.main, command.cause, 0, command.headers);
        return { ok: true };
      case 'hold':
        this.#hold(command);
        return { ok: true };
      case 'recording':
      case 'stream':
        return { ok: true, ...this.#call.media.perform(command, 0) };
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

  /** Removes a play from the queue, which is then never heard. */
  #dropQueuedPlay(signal: string): string | undefined {
    const { queuedCommands } = this.#call;
    const play = queuedCommands.find((command) => command.type === 'play');
    if (!play) return undefined;
    queuedCommands.splice(queuedCommands.indexOf(play), 1);
    const { playId, promptRef } = play;
    this.#call.append({ kind: 'unplayed', playId, promptRef, why: endReason(signal) });
    return playId;
  }

  async #stopPlay(): Promise<string> {
    const executions = this.#executions;
    const stepRun = executions.preemptibleBy(STOP);
    if (!stepRun) return this.#dropQueuedPlay(STOP) ?? '';
    const playId = isObject(stepRun.input) ? stepRun.input['play_id'] : undefined;
    await executions.preempt(stepRun, STOP);
    return typeof playId === 'string' ? playId : `${this.#call.record.callId}:${stepRun.number}`;
  }

  async #signal(command: CallCommand): Promise<void> {
    const executions = this.#executions;
    const signal = signalOf(command);
    const stepRun = executions.awaiting(signal.name);
    if (stepRun) return executions.resume(stepRun, signal);
    if (command.type === 'event' && executions.handles(signal.name)) {
      this.#call.event = { name: command.name, data: command.data };
    }
    if (await executions.interrupt(signal.name)) return;
    const giving = executions.preemptibleBy(signal.name);
    const left = giving ? undefined : this.#call.isAnswered && executions.flowForOrder(signal.name);
    if (command.type !== 'play') this.#dropQueuedPlay(signal.name);
    this.#call.queuedCommands.push(command);
    if (giving) await this.#preempt(giving, signal.name);
    else if (left) await this.#leaveFlow(left, signal.name);
    else if ('accepts' in command && command.accepts) await this.#accept();
  }

  /** Ends a step whose flow leads to one that accepts the queued command. */
  async #preempt(stepRun: StepRun, signal: string): Promise<void> {
    if (stepRun.definition.activity !== 'prompt') this.#endMeeting();
    await this.#executions.preempt(stepRun, signal);
  }

  /** Leaves the call's own flow, which does not accept this order, for the built-in flow that does. */
  async #leaveFlow(flow: CompiledFlow, signal: string): Promise<void> {
    this.#endMeeting();
    await this.#executions.leaveFor(flow, signal);
  }

  /** Digits pressed so far, and hold music, end with the meeting. */
  #endMeeting(): void {
    const { legs, typedAhead } = this.#call;
    typedAhead.take();
    if (legs.main.isHeld) legs.send(legs.main, { type: 'resume' }, 0);
  }

  /** Accepts the call now, or when the flow waits for it. */
  async #accept(): Promise<void> {
    const { legs, record } = this.#call;
    const executions = this.#executions;
    if (record.direction !== 'inbound' || legs.main.state !== 'ringing' || !isAllowed('accept', this.#call)) return;
    const accept = signalOf({ type: 'accept' });
    const stepRun = executions.awaiting(accept.name);
    if (stepRun) await executions.resume(stepRun, accept);
    else this.#call.queuedCommands.push({ type: 'accept' });
  }

  #hold({ hold, music }: CommandOf<'hold'>): void {
    const { legs } = this.#call;
    if (hold === legs.main.isHeld) return;
    legs.send(legs.main, hold ? { type: 'hold', music: [...this.#music(music)] } : { type: 'resume' }, 0);
  }

  #music(written: Json | undefined): readonly AudioItem[] {
    if (written === undefined) return HOLD_MUSIC;
    const frame = this.#executions.main.frame!;
    try {
      return frame.prompt(written, frame.voiceSettings);
    } catch (error) {
      if (!faultIn(error)) throw error;
      return HOLD_MUSIC;
    }
  }

  #startRecording(input: CommandInput, command: CommandOf<'recording'>): CommandReply {
    const { media } = this.#call;
    const opened = media.openRecording(command.name);
    if ('fault' in opened) {
      return this.#refuse(input, opened.fault.code === 'name_taken' ? 'recording_name_taken' : 'recording_failed');
    }
    this.#call.append({ kind: 'in', input });
    media.beginRecording(opened, command, 0);
    return { ok: true, id: opened.id };
  }
}
