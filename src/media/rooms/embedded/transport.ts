/**
 * Connection to a browser: ICE, DTLS and SRTP by libdatachannel. All packets from and to the browser pass through one
 * track; other modules interpret them. Only the media process loads this file, because the library aborts the process
 * if a callback throws.
 *
 * Invariants
 *  - callbacks of the library do not throw;
 *  - after `close` no event is reported.
 */
import library from 'node-datachannel';
import type { Clock } from '../../../base/core/clock.ts';
import { candidatesOf, iceOf } from '../../toolbox/sdp/ice.ts';
import type { Endpoint } from '../../toolbox/sdp/webrtc.ts';
import type { MediaTransportEvents, TransportOptions, MediaTransport as TransportPort } from '../media-transport.ts';
import { DescriptionError } from '../sfu.ts';
import { coreDescription } from './sdp.ts';

type PeerConnection = InstanceType<typeof library.PeerConnection>;
type Track = InstanceType<typeof library.Track>;

const DESCRIBED_MS = 5000;
const MAX_MESSAGE_BYTES = 65_536;

interface TransportSetup {
  /** Name in the log of the library. */
  name: string;
  options: TransportOptions;
  clock: Clock;
  events: MediaTransportEvents;
}

export class WebRtcTransport implements TransportPort {
  readonly #options: TransportOptions;
  readonly #clock: Clock;
  readonly #events: MediaTransportEvents;
  readonly #peer: PeerConnection;
  #track: Track | undefined;
  #isOpen = false;
  #isClosed = false;

  constructor({ name, options, clock, events }: TransportSetup) {
    this.#options = options;
    this.#clock = clock;
    this.#events = events;
    const { host, port } = options;
    this.#peer = new library.PeerConnection(name, {
      iceServers: [],
      ...(host === undefined ? {} : { bindAddress: host }),
      ...(port === undefined ? {} : { enableIceUdpMux: true, portRangeBegin: port, portRangeEnd: port }),
      ...{ disableAutoNegotiation: true, forceMediaTransport: true, maxMessageSize: MAX_MESSAGE_BYTES },
    });
    this.#peer.onStateChange(
      this.#safely((state) => {
        if (state !== 'closed' && state !== 'failed' && state !== 'disconnected') return;
        if (state !== 'disconnected') this.#isOpen = false;
        this.#events.changed(state === 'disconnected' ? 'weak' : 'lost');
      }),
    );
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async offer(): Promise<Endpoint> {
    const line = new library.Video('0', 'SendRecv');
    line.addVP8Codec(96);
    this.#take(this.#peer.addTrack(line));
    return this.#describe(() => this.#peer.setLocalDescription('offer'));
  }

  answered(sdp: string): boolean {
    const ice = iceOf(sdp);
    if (ice) this.#peer.setRemoteDescription(coreDescription(ice, ice.setup), 'answer');
    return ice !== undefined;
  }

  async answer(sdp: string): Promise<Endpoint> {
    const ice = iceOf(sdp);
    if (!ice) throw new DescriptionError('the offer has no ICE and DTLS parameters');
    this.#peer.onTrack(this.#safely((track) => this.#take(track)));
    return this.#describe(() => {
      this.#peer.setRemoteDescription(coreDescription(ice, 'actpass'), 'offer');
      this.#peer.setLocalDescription('answer');
    });
  }

  #take(track: Track): void {
    this.#track = track;
    track.onOpen(
      this.#safely(() => {
        this.#isOpen = true;
        this.#events.changed('open');
      }),
    );
    track.onClosed(
      this.#safely(() => {
        this.#isOpen = false;
      }),
    );
    track.onMessage(this.#safely((bytes) => this.#events.packet(bytes)));
    track.onError(this.#safely(() => undefined));
  }

  /** `gatheringState` changes before the candidates are reported, so that they are read from the description. */
  #describe(begin: () => void): Promise<Endpoint> {
    return new Promise((resolve, reject) => {
      const limit = this.#clock.after(DESCRIBED_MS, () => reject(new Error('the transport has no address')));
      const look = this.#safely(() => {
        if (this.#peer.gatheringState() !== 'complete') return;
        const sdp = this.#peer.localDescription()?.sdp ?? '';
        const ice = iceOf(sdp);
        const candidates = this.#advertised(candidatesOf(sdp));
        if (!ice || candidates.length === 0) return;
        limit.cancel();
        resolve({ ice, setup: ice.setup, candidates });
      });
      this.#peer.onLocalDescription(look);
      this.#peer.onGatheringStateChange(look);
      this.#peer.onLocalCandidate(look);
      begin();
    });
  }

  /** Local candidates, or the one with the address by which others reach this machine. */
  #advertised(candidates: readonly string[]): string[] {
    const { advertisedHost } = this.#options;
    const own = candidates.filter((candidate) => / typ host\b/.test(candidate));
    if (advertisedHost === undefined) return own;
    const changed = own.map((candidate) => candidate.replace(/^((?:\S+ ){4})\S+/, `$1${advertisedHost}`));
    return changed.slice(0, 1);
  }

  send(bytes: Buffer): void {
    if (!this.#isOpen) return;
    try {
      this.#track?.sendMessageBinary(bytes);
    } catch {
      // The connection was closed meanwhile; the packet is lost as on any network.
    }
  }

  close(): void {
    this.#isOpen = false;
    this.#isClosed = true;
    try {
      this.#track?.close();
      this.#peer.close();
    } catch {
      // The remote end has closed it already.
    }
  }

  #safely<Arguments extends unknown[]>(run: (...given: Arguments) => void): (...given: Arguments) => void {
    return (...given) => {
      if (this.#isClosed) return;
      try {
        run(...given);
      } catch (error) {
        this.#events.failed(error);
      }
    };
  }
}
