/** WebSocket of one stream (`bounded-socket.ts`), with the messages of `docs/streams.md`. */
import type { LookupFunction } from 'node:net';
import type { Clock } from '../../../base/core/clock.ts';
import { type Fault, fault } from '../../../base/core/fault.ts';
import { isObject, type JsonObject } from '../../../base/core/json.ts';
import type { StreamTrack } from '../../../base/core/leg.ts';
import { FRAME_MS } from '../audio.ts';
import { BoundedSocket } from './bounded-socket.ts';
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

/** A second and a half of audio in base64, with some reserve. */
const MAX_MESSAGE_BYTES = 16 * 1024;

export class StreamClient {
  readonly #options: StreamClientOptions;
  readonly #socket: BoundedSocket;
  readonly #frames: Record<StreamTrack, number> = { inbound: 0, outbound: 0 };
  #seq = 0;

  constructor(options: StreamClientOptions) {
    this.#options = options;
    this.#socket = new BoundedSocket({
      url: options.request.url,
      clock: options.clock,
      lookup: options.lookup,
      mostMessageBytes: MAX_MESSAGE_BYTES,
      opened: () => this.#opened(),
      message: (message) => this.#message(message),
      ended: ({ cause, isBroken }) => options.ended(isBroken ? lost(cause) : { reason: 'far' }),
    });
  }

  /** Number of frames that were dropped for a slow receiver. */
  get dropped(): number {
    return this.#socket.dropped;
  }

  /** Sends 20 ms of a track in mu-law; a gap in `seq` shows dropped frames. */
  frame(track: StreamTrack, bytes: Uint8Array): void {
    if (!this.#socket.isOpen) return;
    const timestamp = this.#frames[track]++ * FRAME_MS;
    const payload = base64Of(bytes);
    // Written by hand, because each track has fifty a second; none of its parts needs escaping.
    this.#socket.sendFrame(
      `{"event":"media","media":{"seq":${++this.#seq},"timestamp":${timestamp},"track":"${track}","payload":"${payload}"}}`,
    );
  }

  stop(): void {
    this.#socket.stop([{ event: 'stop_media', stream_id: this.#options.request.streamId, dropped: this.dropped }]);
  }

  #opened(): void {
    const { streamId, start, tracks } = this.#options.request;
    this.#socket.send({ event: 'connected' });
    this.#socket.send({ event: 'start_media', stream_id: streamId, start: { ...start, tracks, format: FORMAT } });
    this.#options.opened();
  }

  #message(message: JsonObject): void {
    if (!this.#options.request.bidirectional) return;
    if (message['event'] === 'clear_media') this.#options.clear();
    const bytes = soundIn(message);
    if (bytes) this.#options.sound(bytes);
  }
}

export const FORMAT = { encoding: 'ulaw', sample_rate: 8000, channels: 1 };

export const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');

/** Audio of a `media` message. */
export function soundIn({ event, media }: JsonObject): Uint8Array | undefined {
  if (event !== 'media' || !isObject(media) || typeof media['payload'] !== 'string') return undefined;
  return bytesOf(media['payload']);
}

/** Returns a copy, because small buffers share their memory with others. */
export function bytesOf(payload: string): Uint8Array | undefined {
  const bytes = Buffer.from(payload, 'base64');
  return bytes.length > 0 ? new Uint8Array(bytes) : undefined;
}

const lost = (cause: string): StreamResult => ({
  reason: 'failed',
  fault: fault('stream_failed', 'the receiver of the stream was not reached or lost', { cause }),
});
