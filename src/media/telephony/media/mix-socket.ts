/**
 * UDP socket of an open mix in a media thread, by which an outside party takes part
 * (`media/toolbox/audio/mix-frame.ts`): the process that carries a room, on loopback, or the same mix at another node.
 *
 * Invariants
 *  - only frames with the key from the expected host are heard, and frames are sent only to their sender;
 *  - after a second without a received frame no frames are sent, until one arrives: the process may have died, and
 *    another one, at another port, replaces it. A port that was given is always sent to, because the other end learns
 *    the local port by it.
 */
import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { withoutIpv4Mapping } from '../../../base/core/source-key.ts';
import { FrameQueue } from '../../toolbox/audio/frame-queue.ts';
import { LOOPBACK, type MixFarEnd, readFrame, writeFrame } from '../../toolbox/audio/mix-frame.ts';
import type { OutsideParty } from './mix.ts';

/** Jitter buffer in frames: both ends have their own timers. */
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

  deliver(others: Int16Array): void {
    const peer = this.#peer;
    if (!peer || this.#options.nowMs() - peer.heardMs > GONE_MS) return;
    // Send errors are ignored: datagrams may be lost anyway.
    this.#socket.send(writeFrame(this.#key, others), peer.port, this.#farHost, () => undefined);
  }

  close(): void {
    this.#socket.close();
  }
}
