/**
 * One connection of a synthetic peer: ICE, DTLS and SRTP by libdatachannel, as in the embedded engine, but on its own
 * port and with known remote addresses. Only the process of the peers loads this file.
 */
import library from 'node-datachannel';
import { coreDescription } from '../../../src/media/rooms/embedded/sdp.ts';
import { candidatesOf, type IceParameters, iceOf } from '../../../src/media/toolbox/sdp/ice.ts';

export class PeerConnection {
  readonly #peer: InstanceType<typeof library.PeerConnection>;
  readonly #packet: (bytes: Buffer) => void;
  #track: InstanceType<typeof library.Track> | undefined;
  #isOpen = false;
  #isClosed = false;

  constructor(name: string, address: string, packet: (bytes: Buffer) => void) {
    this.#packet = packet;
    this.#peer = new library.PeerConnection(name, {
      iceServers: [],
      ...{ bindAddress: address, disableAutoNegotiation: true, forceMediaTransport: true },
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  offer(): Promise<IceParameters> {
    const line = new library.Video('0', 'SendRecv');
    line.addVP8Codec(96);
    this.#take(this.#peer.addTrack(line));
    return this.#describe(() => this.#peer.setLocalDescription('offer'));
  }

  answered(sdp: string): void {
    this.#peer.setRemoteDescription(core(sdp, iceOf(sdp)?.setup ?? 'active'), 'answer');
  }

  answer(sdp: string): Promise<IceParameters> {
    this.#peer.onTrack((track) => this.#take(track));
    return this.#describe(() => {
      this.#peer.setRemoteDescription(core(sdp, 'actpass'), 'offer');
      this.#peer.setLocalDescription('answer');
    });
  }

  #take(track: InstanceType<typeof library.Track>): void {
    this.#track = track;
    track.onOpen(() => {
      this.#isOpen = true;
    });
    track.onClosed(() => {
      this.#isOpen = false;
    });
    track.onMessage((bytes) => {
      // A throw here would end the process.
      try {
        if (!this.#isClosed) this.#packet(bytes);
      } catch (error) {
        process.stderr.write(`${String(error)}\n`);
      }
    });
    track.onError(() => undefined);
  }

  #describe(begin: () => void): Promise<IceParameters> {
    return new Promise((resolve) => {
      const look = (): void => {
        const sdp = this.#peer.gatheringState() === 'complete' ? this.#peer.localDescription()?.sdp : undefined;
        const ice = sdp === undefined ? undefined : iceOf(sdp);
        if (ice) resolve(ice);
      };
      this.#peer.onLocalDescription(look);
      this.#peer.onGatheringStateChange(look);
      begin();
    });
  }

  send(bytes: Buffer): void {
    try {
      if (this.#isOpen) this.#track?.sendMessageBinary(bytes);
    } catch {
      // It has just been closed.
    }
  }

  close(): void {
    this.#isOpen = false;
    this.#isClosed = true;
    this.#track?.close();
    this.#peer.close();
  }
}

/** Credentials of the first line with a transport: the other lines are bundled with it. */
function core(sdp: string, setup: string): string {
  const ice = iceOf(sdp);
  if (!ice) throw new Error(`no transport in ${sdp}`);
  const candidates = [...new Set(candidatesOf(sdp))];
  return `${coreDescription(ice, setup)}${candidates.map((candidate) => `a=${candidate}\r\n`).join('')}`;
}
