/**
 * Simulated machine detection, by the cadence of speech like real detection: a short greeting followed by silence is a
 * human, continued speech is a machine.
 */
import type { Timer } from '../../../base/core/clock.ts';
import type { LegCommand, LegEvent } from '../../../base/core/leg.ts';
import type { LegChannel } from './leg-channel.ts';

type DetectCommand = Extract<LegCommand, { type: 'detect_machine' }>;
type DetectResult = Extract<LegEvent, { type: 'machine_detected' }>['result'];

/** Maximum duration of a human greeting. */
const LONG_GREETING_MS = 2_000;
/** Silence after a human greeting. */
const AFTER_HELLO_MS = 800;

/** Duration of fax tone that is needed. */
const FAX_MS = 1_000;

interface SimulatedDetection {
  command: DetectCommand;
  startedMs: number;
  /** True once a machine was detected and its beep is awaited. */
  isMachine: boolean;
  limit: Timer | undefined;
  decision: Timer | undefined;
}

export class SimulatedDetector {
  readonly #channel: LegChannel;
  #detection: SimulatedDetection | undefined;
  /** Latest burst of speech. */
  #burst: { fromMs: number; toMs: number } | undefined;
  #isFax = false;

  constructor(channel: LegChannel) {
    this.#channel = channel;
  }

  detect(command: DetectCommand): void {
    this.stop();
    const askedMs = this.#channel.clock.monotonicMs();
    this.#detection = { command, startedMs: askedMs, isMachine: false, limit: undefined, decision: undefined };
    if (this.#channel.hasAudio) this.#start(this.#detection);
  }

  /** Called when the leg starts to carry audio. */
  open(): void {
    if (this.#detection) this.#start(this.#detection);
  }

  /** Speech starts, with this duration. */
  receiveSpeech(durationMs: number): void {
    const nowMs = this.#channel.clock.monotonicMs();
    const goesOn = this.#burst !== undefined && this.#burst.toMs >= nowMs;
    const toMs = nowMs + durationMs;
    if (goesOn) this.#burst = { fromMs: this.#burst!.fromMs, toMs: Math.max(this.#burst!.toMs, toMs) };
    else this.#burst = { fromMs: nowMs, toMs };
    this.#judge();
  }

  /** A beep has ended. */
  beep(): void {
    if (this.#detection?.isMachine) this.#end(this.#detection, 'beep');
  }

  /** A fax tone starts. */
  fax(): void {
    this.#isFax = true;
    this.#judge();
  }

  /** Ends the detection with this id, or any. */
  stop(detectId?: string): void {
    const detection = this.#detection;
    if (detection && (detectId === undefined || detection.command.detectId === detectId))
      this.#end(detection, 'stopped');
  }

  #start(detection: SimulatedDetection): void {
    detection.startedMs = this.#channel.clock.monotonicMs();
    detection.limit = this.#channel.clock.after(detection.command.timeoutMs, () => this.#end(detection, 'unknown'));
    this.#judge();
  }

  #judge(): void {
    const { clock } = this.#channel;
    const [detection, burst] = [this.#detection, this.#burst];
    if (!detection || !this.#channel.hasAudio || detection.isMachine) return;
    if (this.#isFax) {
      detection.decision ??= clock.after(FAX_MS, () => this.#end(detection, 'fax'));
      return;
    }
    if (!burst || burst.toMs <= clock.monotonicMs()) return;
    detection.decision?.cancel();
    const fromMs = Math.max(burst.fromMs, detection.startedMs);
    const speaksOn = burst.toMs - fromMs >= LONG_GREETING_MS;
    const dueMs = speaksOn ? fromMs + LONG_GREETING_MS : burst.toMs + AFTER_HELLO_MS;
    detection.decision = clock.after(dueMs - clock.monotonicMs(), () => {
      if (speaksOn) this.#foundMachine(detection);
      else this.#end(detection, 'human');
    });
  }

  #foundMachine(detection: SimulatedDetection): void {
    const { awaitBeepMs } = detection.command;
    if (awaitBeepMs <= 0) {
      this.#end(detection, 'machine');
      return;
    }
    detection.isMachine = true;
    detection.limit?.cancel();
    detection.limit = this.#channel.clock.after(awaitBeepMs, () => this.#end(detection, 'machine'));
  }

  #end(detection: SimulatedDetection, result: DetectResult): void {
    if (this.#detection !== detection) return;
    this.#detection = undefined;
    detection.limit?.cancel();
    detection.decision?.cancel();
    const afterMs = this.#channel.clock.monotonicMs() - detection.startedMs;
    this.#channel.emit({ type: 'machine_detected', detectId: detection.command.detectId, result, afterMs });
  }
}
