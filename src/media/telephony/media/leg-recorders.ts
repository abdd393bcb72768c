/** Recordings of one leg: at most one by a step and one in the background. */
import type { AudioPacket } from './audio-packet.ts';
import type { MediaRequestOf } from './media-port.ts';
import { Recorder, type RecorderEvent } from './recorder.ts';

export class LegRecorders {
  readonly #emit: (event: RecorderEvent) => void;
  /** Replaced on each change, because recorders end while they are iterated. */
  #recorders: readonly Recorder[] = [];

  constructor(emit: (event: RecorderEvent) => void) {
    this.#emit = emit;
  }

  get isActive(): boolean {
    return this.#recorders.length > 0;
  }

  /** Starts a recording, and ends the one that it replaces. */
  start(request: MediaRequestOf<'record'>, nowMs: number): void {
    this.#find((each) => each.background === (request.background ?? false))?.end('stopped', nowMs);
    const emit = (event: RecorderEvent): void => {
      if (event.type === 'recorded') this.#recorders = this.#recorders.filter((each) => each !== recorder);
      this.#emit(event);
    };
    const recorder = new Recorder(request, emit, nowMs);
    this.#recorders = [...this.#recorders, recorder];
  }

  pause(recordId: string, paused: boolean, nowMs: number): void {
    this.#find((each) => each.recordId === recordId)?.pause(paused, nowMs);
  }

  stop(recordId: string, nowMs: number): void {
    this.#find((each) => each.recordId === recordId)?.end('stopped', nowMs);
  }

  inboundPacket(packet: AudioPacket, nowMs: number): void {
    for (const recorder of this.#recorders) recorder.inboundPacket(packet, nowMs);
  }

  outboundPacket(packet: AudioPacket, nowMs: number): void {
    for (const recorder of this.#recorders) recorder.outboundPacket(packet, nowMs);
  }

  /** Ends the recordings that this digit terminates. */
  pressed(digit: string, nowMs: number): void {
    for (const recorder of this.#recorders) if (recorder.isTerminator(digit)) recorder.end('terminator', nowMs);
  }

  tick(nowMs: number): void {
    for (const recorder of this.#recorders) recorder.tick(nowMs);
  }

  close(nowMs: number): void {
    for (const recorder of this.#recorders) recorder.end('hangup', nowMs);
  }

  #find(wanted: (recorder: Recorder) => boolean): Recorder | undefined {
    return this.#recorders.find(wanted);
  }
}
