/**
 * The web socket of one stream, with the messages of `docs/streams.md`. It runs in the main thread, because media
 * threads must not block, and names are resolved and certificates checked here.
 *
 * Invariants
 *  - `ended` is called once, unless `stop` came first; nothing follows either;
 *  - what is queued for a slow receiver is bounded: the oldest frames are dropped and counted, sequence numbers show
 *     the gap;
 *  - reading from a receiver is limited per second, the rest waits in its socket; pongs that it does not read are not
 *     queued;
 *  - redirects are not followed, and a connection is not retried.
 */
import type { LookupFunction } from 'node:net';
import { WebSocket } from 'ws';
import type { Clock, Timer } from '../../core/clock.ts';
import { type Fault, fault } from '../../core/fault.ts';
import { isObject, type Json } from '../../core/json.ts';
import type { StreamTrack } from '../../core/leg.ts';
import { FRAME_MS } from '../audio.ts';
import type { MediaRequestOf } from './media-port.ts';

export interface StreamClientOptions {
  request: MediaRequestOf<'stream'>;
  clock: Clock;
  /** Refuses forbidden addresses after resolution. */
  lookup?: ((url: string) => LookupFunction) | undefined;
  opened(): void;
  /** Mu-law audio from the receiver of a bidirectional stream. */
  sound(bytes: Uint8Array): void;
  clear(): void;
  ended(result: StreamResult): void;
}

type StreamResult = { reason: 'far' } | { reason: 'failed'; fault: Fault };

interface QueuedFrame {
  seq: number;
  timestamp: number;
  track: StreamTrack;
  bytes: Uint8Array;
}

const CONNECT_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;
/** Bytes in the socket's buffer; more waits here, where it can be dropped. */
const MOST_BUFFERED_BYTES = 64 * 1024;
/** Three seconds of two tracks. */
const MOST_WAITING = 300;
/** A second and a half of audio in base64, with some room. */
const MOST_MESSAGE_BYTES = 16 * 1024;
const NORMAL_CLOSURE = 1000;
/** A minute of audio at once, in the smallest usual pieces, or in one. */
const MOST_MESSAGES_PER_SECOND = 6_000;
const MOST_BYTES_PER_SECOND = 1024 * 1024;
const BUDGET_MS = 1_000;

export class StreamClient {
  readonly #options: StreamClientOptions;
  readonly #socket: WebSocket;
  readonly #waiting: QueuedFrame[] = [];
  readonly #frames: Record<StreamTrack, number> = { inbound: 0, outbound: 0 };
  #state: 'connecting' | 'open' | 'over' = 'connecting';
  #seq = 0;
  #dropped = 0;
  readonly #read = { messages: 0, bytes: 0 };
  /** Runs until the end of the current second. */
  #second: Timer | undefined;

  constructor(options: StreamClientOptions) {
    this.#options = options;
    const socket = new WebSocket(options.request.url, {
      handshakeTimeout: CONNECT_TIMEOUT_MS,
      followRedirects: false,
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: MOST_MESSAGE_BYTES,
      ...(options.lookup ? { lookup: options.lookup(options.request.url) } : {}),
    });
    this.#socket = socket;
    socket.on('open', () => this.#opened());
    socket.on('message', (data, isBinary) => {
      // In the default mode a message is one buffer.
      this.#count((data as Buffer).length);
      if (!isBinary && this.#state === 'open') this.#message(String(data));
    });
    socket.on('ping', (data) => {
      this.#count(data.length);
      if (socket.bufferedAmount < MOST_BUFFERED_BYTES) socket.pong(data);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const cause = error.code ?? error.message;
      const lost = fault('stream_failed', 'the receiver of the stream was not reached or lost', { cause });
      this.#end({ reason: 'failed', fault: lost });
    });
    socket.on('close', () => this.#end({ reason: 'far' }));
  }

  /** Frames that a slow receiver missed. */
  get dropped(): number {
    return this.#dropped;
  }

  /** 20 ms of a track in mu-law. */
  frame(track: StreamTrack, bytes: Uint8Array): void {
    if (this.#state !== 'open') return;
    const timestamp = this.#frames[track]++ * FRAME_MS;
    this.#waiting.push({ seq: ++this.#seq, timestamp, track, bytes });
    if (this.#waiting.length > MOST_WAITING) {
      this.#waiting.shift();
      this.#dropped++;
    }
    while (this.#waiting.length > 0 && this.#socket.bufferedAmount < MOST_BUFFERED_BYTES) {
      this.#socket.send(mediaMessage(this.#waiting.shift()!));
    }
  }

  stop(): void {
    const wasOpen = this.#state === 'open';
    this.#state = 'over';
    if (!wasOpen) {
      this.#socket.terminate();
      return;
    }
    this.#send({ event: 'stop_media', stream_id: this.#options.request.streamId, dropped: this.#dropped });
    this.#socket.close(NORMAL_CLOSURE);
    const timer = this.#options.clock.after(CLOSE_TIMEOUT_MS, () => this.#socket.terminate());
    this.#socket.once('close', () => timer.cancel());
  }

  #opened(): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'open';
    const { streamId, start, tracks } = this.#options.request;
    const format = { encoding: 'ulaw', sample_rate: 8000, channels: 1 };
    this.#send({ event: 'connected' });
    this.#send({ event: 'start_media', stream_id: streamId, start: { ...start, tracks, format } });
    this.#options.opened();
  }

  #count(bytes: number): void {
    this.#second ??= this.#options.clock.after(BUDGET_MS, () => this.#newSecond());
    this.#read.messages++;
    this.#read.bytes += bytes;
    if (this.#read.messages >= MOST_MESSAGES_PER_SECOND || this.#read.bytes >= MOST_BYTES_PER_SECOND)
      this.#socket.pause();
  }

  #newSecond(): void {
    this.#second = undefined;
    this.#read.messages = 0;
    this.#read.bytes = 0;
    this.#socket.resume();
  }

  #message(text: string): void {
    if (!this.#options.request.bidirectional) return;
    let message: Json;
    try {
      message = JSON.parse(text) as Json;
    } catch {
      return;
    }
    if (!isObject(message)) return;
    if (message['event'] === 'clear_media') this.#options.clear();
    const { media } = message;
    if (message['event'] !== 'media' || !isObject(media) || typeof media['payload'] !== 'string') return;
    const bytes = Buffer.from(media['payload'], 'base64');
    // A copy, because small buffers share their memory with others.
    if (bytes.length > 0) this.#options.sound(new Uint8Array(bytes));
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  #end(result: StreamResult): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#socket.terminate();
    this.#options.ended(result);
  }
}

/** Written by hand, because each track has fifty a second; none of its parts needs escaping. */
function mediaMessage({ seq, timestamp, track, bytes }: QueuedFrame): string {
  const payload = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  return `{"event":"media","media":{"seq":${seq},"timestamp":${timestamp},"track":"${track}","payload":"${payload}"}}`;
}
