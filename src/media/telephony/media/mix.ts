/**
 * Legs of one mix that are in one thread. If the mix has two legs, both here, each relays its packets to the other, and
 * the mix has no work. Otherwise the audio of all is added up every 20 ms, once, and each leg hears the sum without its
 * own audio. Threads exchange their sums; audio of another thread is heard up to 40 ms later.
 *
 * Parties outside of the threads may take part, such as a room of browsers, or the same mix at another node: each is
 * heard by all, and hears all the others.
 *
 * Invariants
 *  - each leg hears exactly the others: sums are kept at full precision and clipped to 16 bits only on output;
 *  - a leg that leaves is disconnected at once.
 */
import { FRAME_SAMPLES } from '../audio.ts';
import type { AudioPacket } from './audio-packet.ts';
import { SampleQueue } from './sample-queue.ts';

/** Two packets of maximum length (120 ms), with some reserve. */
const BUFFER_SAMPLES = 2_048;
/** A peer's sum is played when another one is queued behind it, so that one of them may be late. */
const SUMS_TO_BEGIN = 2;
const MAX_SUMS = 5;
/** Range of a sample. */
const MOST = 32_767;
const LEAST = -32_768;

const SILENCE = new Int16Array(FRAME_SAMPLES);

/** Queues between a leg, which reads and writes in its packet interval, and the mix. */
export class MixBuffers {
  readonly input = new SampleQueue(BUFFER_SAMPLES);
  readonly output = new SampleQueue(BUFFER_SAMPLES);
  readonly frame = new Int16Array(FRAME_SAMPLES);
}

/** Interface of a leg in a mix. */
export interface MixerInput {
  /** Connects the leg to a mix; undefined: disconnects it. */
  setMixPort(port: MixPort | undefined): void;
  /** Plays audio of the other party, in a mix of two. */
  relayPacket(packet: AudioPacket, nowMs: number): void;
  /** Relays a digit from the other party, in a mix of two. */
  relayDigit(digit: string, durationMs: number): void;
}

export interface MixPort {
  mix: Mix;
  /** Set in a mix of two in one thread, in which packets are relayed directly. */
  peer?: MixerInput;
  /** Set in any other mix; absent while the leg is alone. */
  buffers?: MixBuffers;
}

/** The same mix in another thread. */
export interface MixPeer {
  peer: number;
  /** Number of its legs in that thread. */
  legs: number;
}

/** `sum`: 160 samples of 32 bits; absent for silence. */
export type MixMessage = { sum: Int32Array | undefined } | { digit: string; durationMs: number };

/** Outside party, which sends and receives a frame every 20 ms. */
export interface OutsideParty {
  /** Next frame; undefined: silence. */
  next(): Int16Array | undefined;
  /** The array is reused and must not be kept. */
  deliver(others: Int16Array): void;
}

interface PeerState {
  legs: number;
  sums: (Int32Array | undefined)[];
  playing: boolean;
}

export class Mix {
  readonly mixId: string;
  readonly #sendTo: (peer: number, message: MixMessage) => void;
  readonly #seats = new Map<MixerInput, MixBuffers | undefined>();
  readonly #peers = new Map<number, PeerState>();
  /** With the audio of each in this frame. */
  readonly #outside = new Map<OutsideParty, Int16Array>();
  readonly #all = new Int32Array(FRAME_SAMPLES);
  readonly #out = new Int16Array(FRAME_SAMPLES);

  constructor(mixId: string, sendTo: (peer: number, message: MixMessage) => void) {
    this.mixId = mixId;
    this.#sendTo = sendTo;
  }

  get isEmpty(): boolean {
    return this.#seats.size + this.#outside.size === 0;
  }

  /** True while `tick` is needed every 20 ms. */
  get isMixing(): boolean {
    return !this.isEmpty && this.#parties > 1 && !this.#relays;
  }

  get #parties(): number {
    let parties = this.#seats.size + this.#outside.size;
    for (const { legs } of this.#peers.values()) parties += legs;
    return parties;
  }

  get #relays(): boolean {
    return this.#seats.size === 2 && this.#parties === 2;
  }

  add(input: MixerInput): void {
    if (this.#seats.has(input)) return;
    this.#seats.set(input, undefined);
    this.#connectLegs();
  }

  remove(input: MixerInput): void {
    if (!this.#seats.delete(input)) return;
    input.setMixPort(undefined);
    this.#connectLegs();
  }

  addOutside(party: OutsideParty): void {
    this.#outside.set(party, SILENCE);
    this.#connectLegs();
  }

  removeOutside(party: OutsideParty): void {
    if (this.#outside.delete(party)) this.#connectLegs();
  }

  setPeers(peers: readonly MixPeer[]): void {
    for (const peer of this.#peers.keys()) if (!peers.some((each) => each.peer === peer)) this.#peers.delete(peer);
    for (const { peer, legs } of peers) {
      const known = this.#peers.get(peer);
      if (known) known.legs = legs;
      else this.#peers.set(peer, { legs, sums: [], playing: false });
    }
    this.#connectLegs();
  }

  receiveFromPeer(peer: number, message: MixMessage): void {
    const state = this.#peers.get(peer);
    if (!state) return;
    if ('digit' in message) {
      for (const input of this.#seats.keys()) input.relayDigit(message.digit, message.durationMs);
      return;
    }
    if (state.sums.length >= MAX_SUMS) state.sums.shift();
    state.sums.push(message.sum);
  }

  /** Relays a digit from this leg, if there is exactly one other party. */
  relayDigit(from: MixerInput, digit: string, durationMs: number): void {
    if (this.#parties !== 2) return;
    for (const input of this.#seats.keys()) if (input !== from) input.relayDigit(digit, durationMs);
    for (const [peer, { legs }] of this.#peers) if (legs > 0) this.#sendTo(peer, { digit, durationMs });
  }

  tick(): void {
    if (!this.isMixing) return;
    const all = this.#all.fill(0);
    for (const seat of this.#seats.values()) {
      if (!seat) continue;
      if (seat.input.read(seat.frame, FRAME_SAMPLES)) addTo(all, seat.frame);
      else seat.frame.fill(0);
    }
    for (const party of this.#outside.keys()) {
      const said = party.next() ?? SILENCE;
      this.#outside.set(party, said);
      if (said !== SILENCE) addTo(all, said);
    }
    this.#sendToPeers(all);
    for (const state of this.#peers.values()) {
      const sum = nextSum(state);
      if (sum) addTo(all, sum);
    }
    for (const seat of this.#seats.values()) {
      if (!seat) continue;
      subtract(all, seat.frame, this.#out);
      seat.output.write(this.#out, FRAME_SAMPLES);
    }
    for (const [party, said] of this.#outside) {
      subtract(all, said, this.#out);
      party.deliver(this.#out);
    }
  }

  #sendToPeers(sum: Int32Array): void {
    if (this.#peers.size === 0) return;
    const shared = isSilent(sum) ? undefined : sum.slice();
    for (const [peer, { legs }] of this.#peers) if (legs > 0) this.#sendTo(peer, { sum: shared });
  }

  #connectLegs(): void {
    const relays = this.#relays;
    const mixing = this.isMixing;
    const inputs = [...this.#seats.keys()];
    for (const [index, input] of inputs.entries()) {
      if (relays) {
        this.#seats.set(input, undefined);
        input.setMixPort({ mix: this, peer: inputs[1 - index]! });
      } else if (!mixing) {
        this.#seats.set(input, undefined);
        input.setMixPort({ mix: this });
      } else if (!this.#seats.get(input)) {
        const buffers = new MixBuffers();
        this.#seats.set(input, buffers);
        input.setMixPort({ mix: this, buffers });
      }
    }
  }
}

function nextSum(state: PeerState): Int32Array | undefined {
  state.playing = state.playing ? state.sums.length > 0 : state.sums.length >= SUMS_TO_BEGIN;
  return state.playing ? state.sums.shift() : undefined;
}

function addTo(sum: Int32Array, samples: Int16Array | Int32Array): void {
  for (let index = 0; index < FRAME_SAMPLES; index++) sum[index]! += samples[index]!;
}

/** Sum without the leg's own samples, clipped. */
function subtract(sum: Int32Array, own: Int16Array, out: Int16Array): void {
  for (let index = 0; index < FRAME_SAMPLES; index++) {
    const others = sum[index]! - own[index]!;
    out[index] = Math.max(LEAST, Math.min(MOST, others));
  }
}

function isSilent(sum: Int32Array): boolean {
  for (let index = 0; index < FRAME_SAMPLES; index++) if (sum[index] !== 0) return false;
  return true;
}
