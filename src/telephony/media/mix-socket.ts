/**
 * The end of an open mix in a media thread: a UDP socket, by which somebody outside takes part (`core/mix-frame.ts`): the
 * process that carries a room, on loopback, or the same mix at another node.
 *
 * Invariants
 *  - only what has the key, and comes from the host that is expected, is heard, and only its sender is sent anything;
 *  - after a second without a frame from there nothing is sent, until one comes: the process may have died, and another
 *     one, at another port, takes its place. A port that was given is sent to in any case: the other end learns ours by it.
 */
import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { FrameQueue } from '../../core/frame-queue.ts';
import { LOOPBACK, type MixFarEnd, readFrame, writeFrame } from '../../core/mix-frame.ts';
import { withoutIpv4Mapping } from '../../core/source-key.ts';
import type { OutsideParty } from './mix.ts';

/** Frames that wait before the first is heard: both ends have timers of their own. */
const DELAY_FRAMES = 3;
const GONE_MS = 1000;

export interface MixSocketOptions {
  key: string;
  /** Absent: on this machine. */
  far?: MixFarEnd;
  nowMs(): number;
  opened(port: number): void;
  failed(code: string): void;
}

export class MixSocket implements OutsideParty {
  readonly #options: MixSocketOptions;
  readonly #key: Buffer;
  readonly #socket: Socket;
  readonly #frames = new FrameQueue(DELAY_FRAMES);
  readonly #farHost: string;
  #peer: { port: number; heardMs: number } | undefined;

  constructor(options: MixSocketOptions) {
    this.#options = options;
    this.#key = Buffer.from(options.key, 'hex');
    const { localHost = LOOPBACK, farHost = LOOPBACK, farPort } = options.far ?? {};
    this.#farHost = farHost;
    if (farPort !== undefined) this.#peer = { port: farPort, heardMs: Number.POSITIVE_INFINITY };
    this.#socket = createSocket(isIPv6(localHost) ? 'udp6' : 'udp4');
    this.#socket.on('message', (bytes, { address, port }) => {
      const frame = withoutIpv4Mapping(address) === farHost ? readFrame(this.#key, bytes) : undefined;
      if (!frame) return;
      if (farPort === undefined) this.#peer = { port, heardMs: options.nowMs() };
      this.#frames.add(frame);
    });
    this.#socket.once('error', (error: NodeJS.ErrnoException) => options.failed(error.code ?? error.message));
    this.#socket.bind(0, localHost, () => options.opened(this.#socket.address().port));
  }

  next(): Int16Array | undefined {
    return this.#frames.next();
  }

  hear(others: Int16Array): void {
    const peer = this.#peer;
    if (!peer || this.#options.nowMs() - peer.heardMs > GONE_MS) return;
    // What the system does not take is lost, as any datagram may be.
    this.#socket.send(writeFrame(this.#key, others), peer.port, this.#farHost, () => undefined);
  }

  close(): void {
    this.#socket.close();
  }
}
