/**
 * Commands from the main thread to a media thread, by a ring in shared memory (`command-ring.ts`). A command with data
 * that is not JSON goes by a port, and an empty text in the ring marks its turn. Prompts are sent once, and are named by
 * number afterwards.
 *
 * Invariants
 *  - commands arrive in order, and none is lost: while the ring is full, commands wait in a list;
 *  - a thread that does not poll the ring is woken.
 */
import { type MessagePort, receiveMessageOnPort, type Transferable } from 'node:worker_threads';
import { type Clock, systemClock, type Timer } from '../../../base/core/clock.ts';
import { RingReader, RingWriter } from './command-ring.ts';
import type { EncodedAudio } from './playback.ts';
import type { CommandChannel, ThreadLegCommand, WorkerCommand } from './worker-messages.ts';

type PlayCommand = Extract<ThreadLegCommand, { items: EncodedAudio[] }>;
type LegCommand = Extract<WorkerCommand, { type: 'leg' }>;
/** Prompts that the thread keeps from now on, or no longer. */
type AudioMessage =
  | { type: 'keep_audio'; number: number; audio: EncodedAudio }
  | { type: 'drop_audio'; number: number };
type Numbered<Command> = Command extends { items: EncodedAudio[] }
  ? Omit<Command, 'items'> & { items: (EncodedAudio | number)[] }
  : Command;
type ReadCommand =
  | Exclude<WorkerCommand, LegCommand>
  | AudioMessage
  | (Omit<LegCommand, 'command'> & { command: Numbered<ThreadLegCommand> });

/** Commands of legs that are JSON. */
const PLAIN = new Set<ThreadLegCommand['type']>([
  ...(['close', 'connect', 'join', 'leave', 'mute', 'resume', 'withhold', 'send_digits', 'signalled_digit'] as const),
  ...(['stop_play', 'stop_record', 'stop_stream', 'stop_listen', 'stop_detect', 'set_heard'] as const),
]);
/** Mark of a command on the port. */
const ON_PORT = '';
const RETRY_MS = 5;
/** 17 minutes. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

export interface CommandSenderOptions extends CommandChannel {
  /** Wakes the thread. */
  wake(): void;
  clock?: Clock;
  /** Size of the prompts that the thread keeps in addition to the cache, which may drop them earlier. */
  maxKeptBytes?: number;
}

export class CommandSender {
  readonly #options: CommandSenderOptions;
  readonly #ring: RingWriter;
  readonly #prompts: KeptPrompts;
  #waiting: string[] = [];
  #retry: Timer | undefined;
  #isWaking = false;

  constructor(options: CommandSenderOptions) {
    this.#options = options;
    this.#ring = new RingWriter(options.ring);
    this.#prompts = new KeptPrompts(options.maxKeptBytes ?? MAX_KEPT_BYTES, {
      keep: (number, audio) => this.#postMessage({ type: 'keep_audio', number, audio }),
      drop: (number) => this.#write(JSON.stringify({ type: 'drop_audio', number } satisfies AudioMessage)),
    });
  }

  send(command: WorkerCommand, transfers: Transferable[] = []): void {
    const text = this.#textOf(command);
    if (text === undefined || Buffer.byteLength(text) > this.#ring.maxLength) this.#postMessage(command, transfers);
    else this.#write(text);
  }

  stop(): void {
    this.#retry?.cancel();
  }

  /** Undefined if the command is not JSON. */
  #textOf(command: WorkerCommand): string | undefined {
    if (command.type === 'peer') return undefined;
    if (command.type !== 'leg') return JSON.stringify(command);
    const inner = command.command;
    if ('items' in inner) return this.#playText(command, inner);
    const isPlain = PLAIN.has(inner.type) && !(inner.type === 'connect' && inner.remote.srtp);
    return isPlain ? JSON.stringify(command) : undefined;
  }

  #playText(command: LegCommand, play: PlayCommand): string | undefined {
    if (!this.#prompts.mayKeep(play.items)) return undefined;
    const items = play.items.map((audio) => this.#prompts.numberOf(audio));
    return JSON.stringify({ ...command, command: { ...play, items } });
  }

  #postMessage(message: WorkerCommand | AudioMessage, transfers: Transferable[] = []): void {
    this.#options.port.postMessage(message, transfers);
    this.#write(ON_PORT);
  }

  #write(text: string): void {
    if (this.#waiting.length > 0 || !this.#put(text)) {
      this.#waiting.push(text);
      this.#retryLater();
    }
    if (!this.#ring.isPolled) this.#wakeOnce();
  }

  #put(text: string): boolean {
    return this.#ring.write(text, Buffer.byteLength(text));
  }

  #retryLater(): void {
    const { clock = systemClock } = this.#options;
    this.#retry ??= clock.after(RETRY_MS, () => {
      this.#retry = undefined;
      const sent = this.#waiting.findIndex((text) => !this.#put(text));
      this.#waiting = sent < 0 ? [] : this.#waiting.slice(sent);
      if (this.#waiting.length > 0) this.#retryLater();
      if (!this.#ring.isPolled) this.#wakeOnce();
    });
  }

  /** Once for all commands of this turn of the event loop. */
  #wakeOnce(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    queueMicrotask(() => {
      this.#isWaking = false;
      this.#options.wake();
    });
  }
}

interface KeptPromptsHost {
  keep(number: number, audio: EncodedAudio): void;
  drop(number: number): void;
}

/** Numbers of the prompts that the thread keeps, in the order of last use. */
class KeptPrompts {
  readonly #maxBytes: number;
  readonly #host: KeptPromptsHost;
  readonly #numbers = new Map<Uint8Array, number>();
  #bytes = 0;
  #next = 0;

  constructor(maxBytes: number, host: KeptPromptsHost) {
    this.#maxBytes = maxBytes;
    this.#host = host;
  }

  /** True if these prompts can be kept together. */
  mayKeep(items: readonly EncodedAudio[]): boolean {
    const bytes = items.reduce((sum, item) => sum + item.bytes.length, 0);
    return bytes <= this.#maxBytes && items.every(({ isReusable }) => isReusable);
  }

  numberOf(audio: EncodedAudio): number {
    const { bytes } = audio;
    const known = this.#numbers.get(bytes);
    const number = known ?? this.#next++;
    if (known === undefined) {
      this.#dropUntil(this.#maxBytes - bytes.length);
      this.#host.keep(number, audio);
      this.#bytes += bytes.length;
    } else this.#numbers.delete(bytes);
    this.#numbers.set(bytes, number);
    return number;
  }

  #dropUntil(mostBytes: number): void {
    for (const [bytes, number] of this.#numbers) {
      if (this.#bytes <= mostBytes) return;
      this.#numbers.delete(bytes);
      this.#bytes -= bytes.length;
      this.#host.drop(number);
    }
  }
}

export class CommandReader {
  readonly #ring: RingReader;
  readonly #port: MessagePort;
  readonly #receive: (command: WorkerCommand) => void;
  readonly #prompts = new Map<number, EncodedAudio>();

  constructor({ ring, port }: CommandChannel, receive: (command: WorkerCommand) => void) {
    this.#ring = new RingReader(ring);
    this.#port = port;
    this.#receive = receive;
  }

  /** Declares whether `read` is called without being woken. To be followed by `read` if not. */
  set polls(polls: boolean) {
    this.#ring.polls = polls;
  }

  /** Receives all commands that are waiting. Not to be called by `receive`. */
  read(): void {
    for (let text = this.#ring.next(); text !== undefined; text = this.#ring.next()) {
      this.#take(text === ON_PORT ? receiveMessageOnPort(this.#port)!.message : JSON.parse(text));
    }
  }

  #take(command: ReadCommand): void {
    switch (command.type) {
      case 'keep_audio':
        this.#prompts.set(command.number, command.audio);
        break;
      case 'drop_audio':
        this.#prompts.delete(command.number);
        break;
      case 'leg': {
        const { command: inner } = command;
        if ('items' in inner) {
          inner.items = inner.items.map((item) => (typeof item === 'number' ? this.#prompts.get(item)! : item));
        }
        this.#receive(command as WorkerCommand);
        break;
      }
      default:
        this.#receive(command);
    }
  }
}
