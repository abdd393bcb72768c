/**
 * Frames of one source, for a recording or the live stream: a microphone, or the chosen layer of a video. Requests key
 * frames when it needs one.
 */
import type { IncomingStream, KeptPacket } from '../incoming-stream.ts';
import type { Quality } from '../outgoing-stream.ts';
import type { PublishedSource, SourceListener } from '../published-source.ts';
import { type Frame, Frames } from './frames.ts';

interface SourceRecorderOptions {
  source: PublishedSource;
  /** Receives the frames, in order. */
  out: (frame: Frame) => void;
  /** Called when no frames follow for a while. */
  paused?: () => void;
  /** Layer of a video; default: HD. */
  quality?: Quality;
}

export class SourceRecorder implements SourceListener {
  readonly source: PublishedSource;
  readonly #out: (frame: Frame) => void;
  readonly #paused: () => void;
  readonly #quality: Quality;
  readonly #framesOf = new Map<IncomingStream, Frames>();
  #current: IncomingStream | undefined;

  constructor({ source, out, paused = () => undefined, quality = 'HD' }: SourceRecorderOptions) {
    this.source = source;
    this.#out = out;
    this.#paused = paused;
    this.#quality = quality;
    source.listeners.add(this);
  }

  onPacket(packet: KeptPacket, stream: IncomingStream): void {
    if (!this.#framesOf.has(stream) && stream === this.#wanted) this.#follow(stream);
    this.#framesOf.get(stream)?.onPacket(packet);
  }

  /** Sequence numbers continue during a mute, so that reassembly restarts after it. */
  muted(isMuted: boolean): void {
    for (const frames of this.#framesOf.values()) frames.restart();
    if (isMuted) this.#paused();
    else this.#askForKey();
  }

  /** Gives up packets that are overdue, and requests a key frame if needed. Called often. */
  tick(nowMs: number): void {
    for (const frames of this.#framesOf.values()) frames.giveUp(nowMs);
    this.#askForKey();
  }

  /**
   * Chosen layer, or the best one below it. A microphone has one stream, and a new one after a restart of the
   * publisher.
   */
  get #wanted(): IncomingStream | undefined {
    return this.source.kind === 'video' ? this.source.streamFor(this.#quality) : this.source.streams.at(-1);
  }

  #follow(stream: IncomingStream): void {
    // At most two streams: the one that is written, and the one that is waited for.
    for (const other of this.#framesOf.keys()) if (other !== this.#current) this.#framesOf.delete(other);
    this.#framesOf.set(stream, new Frames(stream, this.source, (frame) => this.#onFrame(frame)));
    this.#askForKey();
  }

  #onFrame(frame: Frame): void {
    if (frame.stream !== this.#current) {
      if (!frame.isKey) return;
      this.#current = frame.stream;
      for (const other of this.#framesOf.keys()) if (other !== frame.stream) this.#framesOf.delete(other);
    }
    this.#out(frame);
  }

  #askForKey(): void {
    for (const [stream, frames] of this.#framesOf) if (frames.needsKey) this.source.requestKeyFrame(stream);
  }

  stop(): void {
    this.source.listeners.delete(this);
    for (const frames of this.#framesOf.values()) frames.giveUp(Number.POSITIVE_INFINITY);
  }
}
