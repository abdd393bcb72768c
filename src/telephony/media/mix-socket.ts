/**
 * The end of an open mix in a media thread: a UDP socket on loopback, by which somebody outside takes part, such as the
 * process that carries a room (`core/mix-frame.ts`).
 *
 * Invariants
 *  - only what has the key, and comes from this machine, is heard, and only its sender is sent anything;
 *  - after a second without a frame from there nothing is sent, until one comes: the process may have died, and another
 *     one, at another port, takes its place.
 */
import { createSocket, type Socket } from 'node:dgram';
import { FrameQueue } from '../../core/frame-queue.ts';
import { LOOPBACK, readFrame, writeFrame } from '../../core/mix-frame.ts';
import type { OutsideParty } from './mix.ts';

/** Frames that wait before the first is heard: both ends have timers of their own. */
const DELAY_FRAMES = 3;
const GONE_MS = 1000;

export interface MixSocketOptions {
  key: string;
  nowMs(): number;
  opened(port: number): void;
  failed(code: string): void;
}

export class MixSocket implements OutsideParty {
  readonly #options: MixSocketOptions;
  readonly #key: Buffer;
  readonly #socket: Socket;
  readonly #frames = new FrameQueue(DELAY_FRAMES);
  #peer: { port: number; heardMs: number } | undefined;

  constructor(options: MixSocketOptions) {
    this.#options = options;
    this.#key = Buffer.from(options.key, 'hex');
    this.#socket = createSocket('udp4');
    this.#socket.on('message', (bytes, { address, port }) => {
      const frame = address === LOOPBACK ? readFrame(this.#key, bytes) : undefined;
      if (!frame) return;
      this.#peer = { port, heardMs: options.nowMs() };
      this.#frames.add(frame);
    });
    this.#socket.once('error', (error: NodeJS.ErrnoException) => options.failed(error.code ?? error.message));
    this.#socket.bind(0, LOOPBACK, () => options.opened(this.#socket.address().port));
  }

  next(): Int16Array | undefined {
    return this.#frames.next();
  }

  hear(others: Int16Array): void {
    const peer = this.#peer;
    if (!peer || this.#options.nowMs() - peer.heardMs > GONE_MS) return;
    // What the system does not take is lost, as any datagram may be.
    this.#socket.send(writeFrame(this.#key, others), peer.port, LOOPBACK, () => undefined);
  }

  close(): void {
    this.#socket.close();
  }
}
