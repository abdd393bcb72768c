/**
 * Plays a call from a moment on: its recording where there is one, else its prompts, synthesised again, at their
 * original times. The audio clock drives the moment. `playback.ts` computes the schedule; `call-path.ts` follows the
 * clock.
 *
 * Invariants
 * - audio that cannot be fetched is silent and does not delay other audio;
 * - fetched audio is cached while the page is open.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import { send } from '../api.ts';
import type { Span } from '../journal/entries.ts';
import type { CallPath } from './call-path.ts';
import { cuesFrom, momentAfter } from './playback.ts';
import { type LevelPeaks, peaksIn } from './wave.tsx';

interface Source extends Span {
  path: string;
  /** Start position in the audio file. */
  offsetMs: number;
  repeats: boolean;
}

/** Audio that starts within this time is fetched before playback starts. */
const AHEAD_MS = 8000;
const LATENCY_S = 0.06;
const DRAWN_WAVES = 16;

export class Player {
  readonly #callPath: string;
  readonly #path: CallPath;
  readonly #buffers = new Map<string, Promise<AudioBuffer | undefined>>();
  readonly #peaks = signal<ReadonlyMap<string, LevelPeaks>>(new Map());
  readonly #isPlaying = signal(false);
  readonly #failures = signal(0);
  readonly usesRecordings = signal(true);
  #context: AudioContext | undefined;
  #end: (() => void) | undefined;

  constructor(id: string, path: CallPath) {
    this.#callPath = `/voice/v1/call/${encodeURIComponent(id)}`;
    this.#path = path;
  }

  get isPlaying(): ReadonlySignal<boolean> {
    return this.#isPlaying;
  }

  /** Number of sounds that could not be fetched. */
  get failures(): ReadonlySignal<number> {
    return this.#failures;
  }

  peaksOf(playId: string): LevelPeaks | undefined {
    return this.#peaks.value.get(this.#heardPath(playId));
  }

  toggle(): void {
    if (this.#isPlaying.peek()) this.stop();
    else void this.#play();
  }

  stop(): void {
    this.#end?.();
    this.#end = undefined;
    this.#isPlaying.value = false;
  }

  close(): void {
    this.stop();
    void this.#context?.close();
    this.#context = undefined;
  }

  /** Fetches the first sounds one after the other, to draw their waveforms. */
  async draw(isWanted: () => boolean): Promise<void> {
    for (const { playId } of this.#path.sounds.peek().slice(0, DRAWN_WAVES)) {
      if (!isWanted()) return;
      await this.#fetch(this.#heardPath(playId));
    }
  }

  async #play(): Promise<void> {
    this.stop();
    const { folds, lengthMs, atMs } = this.#path;
    const fromMs = atMs.peek() >= lengthMs.peek() ? 0 : atMs.peek();
    this.#isPlaying.value = true;
    let isOver = false;
    const playing: AudioBufferSourceNode[] = [];
    this.#end = () => {
      isOver = true;
      for (const node of playing) node.stop();
    };
    const context = this.#open();
    await context.resume();
    const cues = cuesFrom(this.#sources(), folds.peek(), fromMs, lengthMs.peek());
    await Promise.all(cues.filter(({ afterMs }) => afterMs < AHEAD_MS).map(({ source }) => this.#fetch(source.path)));
    if (isOver) return;
    const beginS = context.currentTime + LATENCY_S;
    for (const { source, afterMs, skipMs, lengthMs: heardMs } of cues) {
      void this.#fetch(source.path).then((buffer) => {
        if (isOver || buffer === undefined) return;
        // Audio that arrives late is cut at its start, so that it stays in time.
        const lateS = Math.max(0, context.currentTime - beginS - afterMs / 1000);
        const skipS = (skipMs + source.offsetMs) / 1000 + lateS;
        if (heardMs / 1000 <= lateS || (!source.repeats && skipS >= buffer.duration)) return;
        const node = new AudioBufferSourceNode(context, { buffer, loop: source.repeats });
        node.connect(context.destination);
        node.start(beginS + afterMs / 1000 + lateS, skipS % buffer.duration, heardMs / 1000 - lateS);
        playing.push(node);
      });
    }
    const move = (): void => {
      if (isOver) return;
      const heardMs = Math.max(0, (context.currentTime - beginS) * 1000);
      this.#path.toMs(momentAfter(folds.peek(), fromMs, heardMs));
      if (atMs.peek() >= lengthMs.peek()) this.stop();
      else requestAnimationFrame(move);
    };
    move();
  }

  /** Prompts within a recording are not played again. */
  #sources(): Source[] {
    const recorded = this.usesRecordings.peek() ? this.#path.recordings.peek() : [];
    const heard = this.#path.sounds
      .peek()
      .filter(({ fromMs }) => !recorded.some((span) => span.fromMs <= fromMs && (span.toMs ?? Infinity) > fromMs));
    return [
      ...heard.map(
        (sound): Source => ({ ...sound, path: this.#heardPath(sound.playId), offsetMs: 0, repeats: sound.repeats }),
      ),
      ...recorded.map(
        (span): Source => ({
          ...span,
          path: `/voice/v1/recording/${encodeURIComponent(span.recordingId)}`,
          repeats: false,
        }),
      ),
    ];
  }

  #heardPath(playId: string): string {
    return `${this.#callPath}/heard/${encodeURIComponent(playId)}`;
  }

  #open(): AudioContext {
    this.#context ??= new AudioContext();
    return this.#context;
  }

  #fetch(path: string): Promise<AudioBuffer | undefined> {
    const known = this.#buffers.get(path);
    if (known !== undefined) return known;
    const made = this.#decode(path).catch(() => {
      this.#failures.value += 1;
      return undefined;
    });
    this.#buffers.set(path, made);
    return made;
  }

  async #decode(path: string): Promise<AudioBuffer> {
    const response = await send(path);
    const buffer = await new OfflineAudioContext(1, 1, 8000).decodeAudioData(await response.arrayBuffer());
    this.#peaks.value = new Map([
      ...this.#peaks.peek(),
      [path, peaksIn(buffer.getChannelData(0), buffer.sampleRate)] as const,
    ]);
    return buffer;
  }
}
