/**
 * Webphone, a phone in a browser: relays between its WebRTC connection and plain RTP and RTCP of a call. Packets are relayed
 * unchanged; audio is not decoded.
 *
 * Invariants
 *  - from the browser only PCMU and its telephone events are relayed, up to a packet rate;
 *  - from the plain side only packets from the call's own address are relayed, because the socket is connected to it;
 *  - after `close` no event is reported and no socket is open.
 */
import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import type { Clock } from '../../../base/core/clock.ts';
import { isRtcp, readRtp } from '../../toolbox/rtp/packet.ts';
import type { MediaTransport, OpenTransport, TransportState } from '../media-transport.ts';
import type { WebphoneAddress, WebphoneEvent } from './webphone-messages.ts';
import { PCMU, readWebphoneOffer, type WebphoneOffer, webphoneAnswer } from './webphone-sdp.ts';

/** 50 of audio, as many of a digit, and some that were delayed. */
const MAX_PACKETS_PER_SECOND = 400;
/** Maximum size. Audio of 20 ms and reports are smaller. */
const MAX_PACKET_BYTES = 1500;

export interface WebphoneRelayParts {
  clock: Clock;
  open: OpenTransport;
  report(event: WebphoneEvent): void;
  warn(message: string, error: unknown): void;
}

export class WebphoneRelay {
  readonly #parts: WebphoneRelayParts;
  readonly #transport: MediaTransport;
  #socket: Socket | undefined;
  #offer: WebphoneOffer | undefined;
  #isClosed = false;
  #second = { atMs: 0, packets: 0 };

  constructor(id: string, parts: WebphoneRelayParts) {
    this.#parts = parts;
    this.#transport = parts.open(id, {
      packet: (bytes) => this.#fromBrowser(bytes),
      changed: (state) => this.#changed(state),
      failed: (error) => parts.warn('a connection failed', error),
    });
  }

  async open(sdp: string, rtp: WebphoneAddress): Promise<void> {
    const offer = readWebphoneOffer(sdp);
    if (typeof offer === 'string') return this.#report({ type: 'refused', why: offer });
    this.#offer = offer;
    try {
      const [{ ice, setup, candidates }, socket] = await Promise.all([this.#transport.answer(sdp), connectedTo(rtp)]);
      if (this.#isClosed) return void socket.close();
      this.#socket = socket;
      socket.on('error', () => undefined);
      socket.on('message', (bytes) => this.#transport.send(bytes));
      const { telephoneEvent, sends, receives } = offer;
      this.#report({
        type: 'described',
        sdp: webphoneAnswer(offer, { ice, setup: setup === 'passive' ? 'passive' : 'active', candidates }),
        rtp: { host: rtp.host, port: socket.address().port },
        ...(telephoneEvent === undefined ? {} : { telephoneEventPayloadType: telephoneEvent }),
        audio: { send: receives, receive: sends },
      });
    } catch (error) {
      this.#parts.warn('a webphone could not be opened', error);
      this.#report({ type: 'refused', why: 'the offer cannot be answered' });
    }
  }

  #fromBrowser(bytes: Buffer): void {
    const socket = this.#socket;
    if (!socket || bytes.length > MAX_PACKET_BYTES || !this.#hasRoom()) return;
    if (isRtcp(bytes) || this.#isTaken(bytes)) socket.send(bytes);
  }

  #isTaken(bytes: Buffer): boolean {
    const type = readRtp(bytes)?.payloadType;
    return type !== undefined && (type === PCMU || type === this.#offer?.telephoneEvent);
  }

  #hasRoom(): boolean {
    const now = this.#parts.clock.monotonicMs();
    if (now - this.#second.atMs >= 1000) this.#second = { atMs: now, packets: 0 };
    return ++this.#second.packets <= MAX_PACKETS_PER_SECOND;
  }

  #changed(state: TransportState): void {
    if (state === 'open') this.#report({ type: 'open' });
    else if (state === 'lost') this.#report({ type: 'lost', why: 'the connection with the browser was lost' });
  }

  #report(event: WebphoneEvent): void {
    if (!this.#isClosed) this.#parts.report(event);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#transport.close();
    this.#socket?.close();
    this.#socket = undefined;
  }
}

/** Opens a socket that is connected to the address, so that it receives only from there. */
function connectedTo({ host, port }: WebphoneAddress): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
    socket.once('error', (error) => {
      socket.close();
      reject(error);
    });
    socket.bind(0, host, () =>
      socket.connect(port, host, (() => {
        socket.removeAllListeners('error');
        resolve(socket);
      }) as () => void),
    );
  });
}
