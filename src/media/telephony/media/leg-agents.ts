/** AI agents of one leg: opened, answered and ended by the commands of their step. Each has exactly one end event. */
import type { LookupFunction } from 'node:net';
import type { ConfiguredAgent, InlineAgent } from '../../../base/core/assistant.ts';
import type { Clock } from '../../../base/core/clock.ts';
import { type Fault, fault } from '../../../base/core/fault.ts';
import { AgentSession } from './agents/agent-session.ts';
import type { StreamFrameEvent } from './leg-taps.ts';
import type { MediaCommandOf, MediaEvent } from './media-port.ts';
import type { ThreadLegCommand } from './worker-messages.ts';

export interface LegAgentsOptions {
  clock: Clock;
  /** DNS lookup for agents whose URL is in a flow. */
  lookup?: ((url: string) => LookupFunction) | undefined;
  /** Returns the currently configured agents. */
  agents?: (() => readonly ConfiguredAgent[]) | undefined;
  /** Sends to the media thread. */
  send(command: ThreadLegCommand): void;
  emit(event: MediaEvent): void;
}

type EndedEvent = Extract<MediaEvent, { type: 'assistant_ended' }>;

export class LegAgents {
  readonly #options: LegAgentsOptions;
  readonly #sessions = new Map<string, AgentSession>();

  constructor(options: LegAgentsOptions) {
    this.#options = options;
  }

  start(command: MediaCommandOf<'assistant'>): void {
    const { assistantId } = command;
    if (this.#sessions.has(assistantId)) return;
    for (const other of this.#sessions.keys()) queueMicrotask(() => this.stop(other, 'stopped'));
    const agent = this.#agentOf(command.agent);
    if (!agent) {
      this.#refuse(assistantId, fault('unknown_agent', 'the configuration has no such agent'));
      return;
    }
    const { clock, lookup, send, emit } = this.#options;
    try {
      const session = new AgentSession({
        ...command,
        agent,
        clock,
        // Addresses of configured agents are trusted.
        lookup: typeof command.agent === 'string' ? undefined : lookup,
        opened: () => send({ type: 'stream', streamId: assistantId, tracks: ['inbound'], bidirectional: true }),
        sound: (bytes) => send({ type: 'stream_audio', streamId: assistantId, bytes }),
        pause: (paused) => send({ type: 'pause_stream', streamId: assistantId, paused }),
        clear: () => send({ type: 'clear_stream', streamId: assistantId }),
        emit,
        ended: (end) => this.#ended({ type: 'assistant_ended', assistantId, ...end }),
      });
      this.#sessions.set(assistantId, session);
    } catch {
      this.#refuse(assistantId, fault('agent_failed', 'the address of the agent is not that of a web socket'));
    }
  }

  /** False if the frame is not for an agent. */
  frame({ streamId, bytes, isAlive }: StreamFrameEvent): boolean {
    const session = this.#sessions.get(streamId);
    session?.frame(bytes, isAlive);
    return session !== undefined;
  }

  answer({ assistantId, callId, answer, isError }: MediaCommandOf<'answer_assistant'>): void {
    this.#sessions.get(assistantId)?.answer(callId, answer, isError);
  }

  key({ assistantId, digit }: MediaCommandOf<'key_assistant'>): void {
    this.#sessions.get(assistantId)?.key(digit);
  }

  stop(assistantId: string, reason: 'stopped' | 'hangup'): void {
    const session = this.#sessions.get(assistantId);
    if (!session) return;
    session.stop();
    this.#ended({ type: 'assistant_ended', assistantId, reason });
  }

  stopAll(reason: 'stopped' | 'hangup'): void {
    for (const assistantId of [...this.#sessions.keys()]) this.stop(assistantId, reason);
  }

  #agentOf(written: string | InlineAgent): InlineAgent | undefined {
    if (typeof written !== 'string') return written;
    const agents = this.#options.agents?.() ?? [];
    return written === '' ? agents[0] : agents.find(({ name }) => name === written);
  }

  #refuse(assistantId: string, why: Fault): void {
    const { emit } = this.#options;
    queueMicrotask(() => emit({ type: 'assistant_ended', assistantId, reason: 'failed', fault: why }));
  }

  #ended(event: EndedEvent): void {
    this.#sessions.delete(event.assistantId);
    this.#options.send({ type: 'stop_stream', streamId: event.assistantId });
    this.#options.emit(event);
  }
}
