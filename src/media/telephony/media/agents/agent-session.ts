/**
 * Conversation of a party with an AI agent: the socket of the agent, whose messages a protocol adapter reads, and the
 * audio of both. It uses `protocol.ts`, `turn-taking.ts` and `../bounded-socket.ts`; `../leg-agents.ts` opens and ends
 * it.
 *
 * Invariants
 *  - actions that the agent can trigger in the call are limited: events per second, the length of texts and arguments,
 *    pending marks;
 *  - URLs and headers of the agent are in no event and no log.
 */
import type { LookupFunction } from 'node:net';
import type { Clock, Timer } from '../../../../base/core/clock.ts';
import { fault } from '../../../../base/core/fault.ts';
import { isDeeperThan, type Json, type JsonObject } from '../../../../base/core/json.ts';
import type { LegEvent, Talker } from '../../../../base/core/leg.ts';
import { BoundedSocket, type SocketEnd } from '../bounded-socket.ts';
import { OpenAiProtocol } from './openai-protocol.ts';
import type { AgentNews, AgentProtocol, ProtocolOptions } from './protocol.ts';
import { StreamProtocol } from './stream-protocol.ts';
import { TurnTaking } from './turn-taking.ts';
import { TwilioProtocol } from './twilio-protocol.ts';

export interface AgentSessionOptions extends ProtocolOptions {
  clock: Clock;
  lookup?: ((url: string) => LookupFunction) | undefined;
  /** Called once, when the agent may receive audio of the party. */
  opened(): void;
  sound(bytes: Uint8Array): void;
  /** Pauses the agent's audio, or resumes it at its position. */
  pause(isPaused: boolean): void;
  clear(): void;
  emit(event: AssistantEvent): void;
  /** Called once, unless the session was stopped. */
  ended(event: Omit<EndedEvent, 'type' | 'assistantId'>): void;
}

type AssistantEvent = Extract<LegEvent, { type: `assistant_${string}` }>;
type EndedEvent = Extract<LegEvent, { type: 'assistant_ended' }>;

const PROTOCOLS = { stream: StreamProtocol, openai: OpenAiProtocol, twilio: TwilioProtocol };

/** The description of a session is sent back as a whole. */
const MAX_MESSAGE_BYTES = 256 * 1024;
const MAX_TEXT = 2_000;
const MAX_ARGUMENTS = 16_384;
const MAX_DEPTH = 20;
const MAX_NAME = 200;
/** Limit for agent messages that become events of the call. */
const MAX_EVENTS_PER_SECOND = 20;
const SECOND_MS = 1_000;
/** Time for the agent to report that it is ready. */
const READY_MS = 10_000;

export class AgentSession {
  readonly #options: AgentSessionOptions;
  readonly #protocol: AgentProtocol;
  readonly #socket: BoundedSocket;
  readonly #turns: TurnTaking;
  #readyTimer: Timer | undefined;
  #isReady = false;
  #startMs = 0;
  #events = { sinceMs: 0, count: 0 };

  /** Throws if the URL is not a WebSocket URL. */
  constructor(options: AgentSessionOptions) {
    this.#options = options;
    this.#protocol = new PROTOCOLS[options.agent.adapter](options);
    this.#turns = new TurnTaking({
      bargeIn: options.bargeIn,
      play: (bytes) => options.sound(bytes),
      pause: (isPaused) => options.pause(isPaused),
      clear: () => options.clear(),
      turn: (who, speaks) => this.#turned(who, speaks),
      cut: (unheardMs) => this.#send(this.#protocol.cut(unheardMs)),
      reached: (name) => this.#send(this.#protocol.marked(name)),
    });
    this.#socket = new BoundedSocket({
      url: this.#protocol.url,
      headers: options.agent.headers,
      clock: options.clock,
      lookup: options.lookup,
      mostMessageBytes: MAX_MESSAGE_BYTES,
      opened: () => this.#opened(),
      message: (message) => this.#read(message),
      ended: (end) => this.#lost(end),
    });
  }

  get dropped(): number {
    return this.#socket.dropped;
  }

  /** Passes on 20 ms of the party's audio, in mu-law. `isAlive`: the party has sent its first packet. */
  frame(bytes: Uint8Array, isAlive: boolean): void {
    if (!this.#isReady) return;
    this.#socket.sendFrame(this.#protocol.sound(bytes));
    this.#turns.frame(bytes, isAlive);
  }

  answer(callId: string, answer: Json, isError: boolean): void {
    this.#send(this.#protocol.answer(callId, answer, isError));
  }

  key(digit: string): void {
    this.#send(this.#protocol.key(digit));
  }

  stop(): void {
    this.#socket.stop(this.#isReady ? this.#protocol.closing() : []);
    this.#over();
  }

  #opened(): void {
    this.#send(this.#protocol.opening());
    if (this.#options.agent.adapter !== 'openai') this.#ready();
    else this.#readyTimer = this.#options.clock.after(READY_MS, () => this.#failUnready());
  }

  #ready(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#startMs = this.#nowMs;
    this.#options.opened();
    this.#emit({ type: 'assistant_started' });
  }

  #failUnready(): void {
    if (!this.#isReady) this.#end('failed', 'it was never ready');
  }

  #read(message: JsonObject): void {
    const news = this.#protocol.read(message);
    for (const each of news) this.#onNews(each);
    this.#send(this.#protocol.pending?.(news) ?? []);
  }

  #onNews(news: AgentNews): void {
    switch (news.type) {
      case 'ready':
        this.#ready();
        return;
      case 'sound':
        if (this.#isReady) this.#turns.sound(news.bytes);
        return;
      case 'clear':
        this.#turns.clear();
        return;
      case 'hears':
        this.#turns.confirm();
        return;
      case 'said': {
        const text = news.text.slice(0, MAX_TEXT);
        if (news.who === 'caller' && text !== '') this.#turns.trust();
        const atMs = Math.max(0, Math.round(this.#nowMs - this.#startMs));
        if (text !== '' && this.#mayEmit()) this.#emit({ type: 'assistant_said', who: news.who, text, atMs });
        return;
      }
      case 'called': {
        const { callId, tool, arguments: given } = news;
        const isFine = !isDeeperThan(given, MAX_DEPTH) && JSON.stringify(given).length <= MAX_ARGUMENTS;
        const [id, name] = [callId.slice(0, MAX_NAME), tool.slice(0, MAX_NAME)];
        if (!this.#mayEmit()) return;
        this.#emit({ type: 'assistant_called', callId: id, tool: name, arguments: isFine ? given : null });
        return;
      }
      case 'mark':
        this.#turns.mark(news.name.slice(0, MAX_NAME));
        return;
      case 'over':
        this.#end('far');
        return;
      case 'broken':
        this.#end('failed', news.cause);
        return;
    }
  }

  #turned(who: Talker, speaks: boolean): void {
    this.#emit({ type: 'assistant_turn', who, speaks });
    if (who === 'caller') this.#send(this.#protocol.speech(speaks));
  }

  #lost({ isOrderly, cause }: SocketEnd): void {
    this.#over();
    if (isOrderly && this.#isReady && this.#protocol.endsByClosing) this.#options.ended({ reason: 'far' });
    else this.#options.ended({ reason: 'failed', fault: broken(cause) });
  }

  #end(reason: 'far' | 'failed', cause = ''): void {
    this.#socket.stop();
    this.#over();
    this.#options.ended(reason === 'far' ? { reason } : { reason, fault: broken(cause) });
  }

  #over(): void {
    this.#readyTimer?.cancel();
  }

  #mayEmit(): boolean {
    const nowMs = this.#nowMs;
    if (nowMs - this.#events.sinceMs >= SECOND_MS) this.#events = { sinceMs: nowMs, count: 0 };
    return ++this.#events.count <= MAX_EVENTS_PER_SECOND;
  }

  #emit(event: EventWithoutId): void {
    this.#options.emit({ ...event, assistantId: this.#options.assistantId } as AssistantEvent);
  }

  #send(messages: readonly object[]): void {
    for (const message of messages) this.#socket.send(message);
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }
}

type EventWithoutId = AssistantEvent extends infer E
  ? E extends AssistantEvent
    ? Omit<E, 'assistantId'>
    : never
  : never;

const broken = (cause: string) => fault('agent_failed', 'the agent was not reached or lost', { cause });
