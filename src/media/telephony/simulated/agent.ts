/**
 * Simulated AI agent: follows a script in virtual time, and hears the party. `leg-media.ts` passes it the commands of
 * its leg.
 */
import type { Timer } from '../../../base/core/clock.ts';
import { fault } from '../../../base/core/fault.ts';
import type { Json, JsonObject } from '../../../base/core/json.ts';
import type { AudioItem, LegCommand, LegEvent, Talker } from '../../../base/core/leg.ts';
import { mannerOf, type SimulatedAgentAct } from './far-end.ts';
import type { LegChannel, Utterance } from './leg-channel.ts';

type AssistantCommand = Extract<LegCommand, { type: 'assistant' }>;
type EndReason = Extract<LegEvent, { type: 'assistant_ended' }>['reason'];

export interface AgentPorts {
  /** Returns the script of the agent at this step; undefined if none was given. */
  script(step: string): readonly SimulatedAgentAct[] | undefined;
  /** Starts its audio; `undefined` ends it. */
  play(assistantId: string, item: AudioItem | undefined): void;
}

/** Time of speech before it counts as an interruption. */
const BARGE_IN_MS = 100;
/** Duration of a turn in a round of `turns`. */
const TURN_MS = 500;

export class SimulatedAgents {
  readonly #channel: LegChannel;
  readonly #ports: AgentPorts;
  #agent: SimulatedAgent | undefined;

  constructor(channel: LegChannel, ports: AgentPorts) {
    this.#channel = channel;
    this.#ports = ports;
  }

  start(command: AssistantCommand): void {
    this.#agent?.end('stopped');
    this.#agent = new SimulatedAgent(this.#channel, this.#ports, command);
    if (this.#channel.hasAudio) this.#agent.connect();
  }

  /** Called when the leg starts to carry audio. */
  open(): void {
    this.#agent?.connect();
  }

  answer({ callId, answer }: { callId: string; answer: Json }): void {
    this.#agent?.answered(callId, answer);
  }

  receiveSpeech(utterance: Utterance): void {
    this.#agent?.receiveSpeech(utterance);
  }

  end(reason: EndReason): void {
    this.#agent?.end(reason);
  }
}

class SimulatedAgent {
  readonly #channel: LegChannel;
  readonly #ports: AgentPorts;
  readonly #command: AssistantCommand;
  readonly #timers = new Set<Timer>();
  #acts: SimulatedAgentAct[] = [];
  #state: 'connecting' | 'open' | 'over' = 'connecting';
  #startMs = 0;
  #calls = 0;
  /** Event that it waits for before the script continues. */
  #waitsFor: 'speech' | `call-${number}` | undefined;
  #speech: { timer: Timer } | undefined;

  constructor(channel: LegChannel, ports: AgentPorts, command: AssistantCommand) {
    this.#channel = channel;
    this.#ports = ports;
    this.#command = command;
  }

  get #id(): string {
    return this.#command.assistantId;
  }

  connect(): void {
    if (this.#state !== 'connecting') return;
    const script = this.#ports.script(this.#command.step);
    if (script === undefined || script[0]?.act === 'refuse') {
      this.end('failed');
      return;
    }
    this.#state = 'open';
    this.#acts = [...script];
    this.#startMs = this.#channel.clock.monotonicMs();
    this.#channel.emit({ type: 'assistant_started', assistantId: this.#id });
    this.#after(0, () => this.#next());
  }

  answered(callId: string, _answer: Json): void {
    if (this.#waitsFor !== callId) return;
    this.#waitsFor = undefined;
    this.#after(0, () => this.#next());
  }

  receiveSpeech({ fromMs, toMs, text }: Utterance): void {
    if (this.#state !== 'open') return;
    const nowMs = this.#channel.clock.monotonicMs();
    this.#turn('caller', true);
    if (this.#command.bargeIn && this.#speech)
      this.#after(Math.max(0, fromMs + BARGE_IN_MS - nowMs), () => this.#cut());
    this.#after(Math.max(0, toMs - nowMs), () => {
      this.#turn('caller', false);
      if (text !== undefined) this.#said('caller', text);
      if (this.#waitsFor !== 'speech') return;
      this.#waitsFor = undefined;
      this.#next();
    });
  }

  end(reason: EndReason): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    for (const timer of this.#timers) timer.cancel();
    this.#ports.play(this.#id, undefined);
    const failed = reason === 'failed' ? { fault: fault('agent_failed', 'the agent cannot be reached') } : {};
    this.#channel.emit({ type: 'assistant_ended', assistantId: this.#id, reason, ...failed });
  }

  /** Runs the next act. After the last one the agent is silent. */
  #next(): void {
    const act = this.#acts.shift();
    if (!act || this.#state !== 'open') return;
    switch (act.act) {
      case 'say':
        this.#say(act.text, act.durationMs);
        return;
      case 'listen':
        this.#waitsFor = 'speech';
        return;
      case 'wait':
        this.#after(act.durationMs, () => this.#next());
        return;
      case 'call':
        this.#call(act.tool, act.arguments);
        return;
      case 'turns':
        this.#speakTurns(act.count);
        return;
      case 'close':
        this.end('far');
        return;
      case 'break':
      case 'refuse':
        this.end('failed');
        return;
    }
  }

  #say(text: string, durationMs = mannerOf(text).durationMs): void {
    const { language } = this.#command;
    this.#turn('agent', true);
    this.#ports.play(this.#id, { type: 'speech', text, language, voice: 'female' });
    this.#said('agent', text);
    const timer = this.#after(durationMs, () => {
      this.#speech = undefined;
      this.#ports.play(this.#id, undefined);
      this.#turn('agent', false);
      this.#next();
    });
    this.#speech = { timer };
  }

  /** The caller interrupts the agent. */
  #cut(): void {
    const speech = this.#speech;
    if (!speech) return;
    this.#speech = undefined;
    speech.timer.cancel();
    this.#timers.delete(speech.timer);
    this.#ports.play(this.#id, undefined);
    this.#turn('agent', false);
    // The next act waits for the speech of the caller.
    if (this.#acts[0]?.act === 'listen') this.#next();
    else this.#waitsFor = 'speech';
  }

  #call(tool: string, given: JsonObject): void {
    const callId = `call-${++this.#calls}` as const;
    this.#waitsFor = callId;
    this.#channel.emit({ type: 'assistant_called', assistantId: this.#id, callId, tool, arguments: given });
  }

  /** Both speak in turn, without words. */
  #speakTurns(count: number): void {
    if (count === 0) {
      this.#next();
      return;
    }
    const beats: [Talker, boolean][] = [
      ['caller', true],
      ['caller', false],
      ['agent', true],
      ['agent', false],
    ];
    for (const [at, [who, speaks]] of beats.entries()) this.#after(at * TURN_MS, () => this.#turn(who, speaks));
    this.#after(beats.length * TURN_MS, () => this.#speakTurns(count - 1));
  }

  #turn(who: Talker, speaks: boolean): void {
    this.#channel.emit({ type: 'assistant_turn', assistantId: this.#id, who, speaks });
  }

  #said(who: Talker, text: string): void {
    const atMs = this.#channel.clock.monotonicMs() - this.#startMs;
    this.#channel.emit({ type: 'assistant_said', assistantId: this.#id, who, text, atMs });
  }

  #after(delayMs: number, act: () => void): Timer {
    const timer = this.#channel.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      act();
    });
    this.#timers.add(timer);
    return timer;
  }
}
