/**
 * Tells people from machines by the cadence of what is heard, as real detection does: a short hello and then silence is
 * a human, somebody who speaks on is a machine.
 */
import type { Timer } from '../../core/clock.ts';
import type { LegCommand, LegEvent } from '../../core/leg.ts';
import type { LegChannel } from './leg-channel.ts';

type DetectCommand = Extract<LegCommand, { type: 'detect_machine' }>;
type DetectResult = Extract<LegEvent, { type: 'machine_detected' }>['result'];

/** Nobody says hello for longer. */
const LONG_GREETING_MS = 2_000;
/** Somebody who is silent for so long after a hello waits for an answer. */
const AFTER_HELLO_MS = 800;

/** How much of a fax has to be heard. */
const FAX_MS = 1_000;

interface SimulatedDetection {
  command: DetectCommand;
  startedMs: number;
  /** Of what it took for a machine. */
  isMachine: boolean;
  limit: Timer | undefined;
  decision: Timer | undefined;
}

export class SimulatedDetector {
  readonly #line: LegChannel;
  #detection: SimulatedDetection | undefined;
  /** What was heard last, from the beginning of the burst to its end. */
  #burst: { fromMs: number; toMs: number } | undefined;
  #isFax = false;
  #carriesSound = false;

  constructor(channel: LegChannel) {
    this.#line = channel;
  }

  detect(command: DetectCommand): void {
    this.stop();
    const askedMs = this.#line.clock.monotonicMs();
    this.#detection = { command, startedMs: askedMs, isMachine: false, limit: undefined, decision: undefined };
    if (this.#carriesSound) this.#begin(this.#detection);
  }

  /** The line carries sound from now on. */
  open(): void {
    this.#carriesSound = true;
    if (this.#detection) this.#begin(this.#detection);
  }

  /** Somebody speaks from now on for so long. */
  receiveSpeech(durationMs: number): void {
    const nowMs = this.#line.clock.monotonicMs();
    const goesOn = this.#burst !== undefined && this.#burst.toMs >= nowMs;
    const toMs = nowMs + durationMs;
    if (goesOn) this.#burst = { fromMs: this.#burst!.fromMs, toMs: Math.max(this.#burst!.toMs, toMs) };
    else this.#burst = { fromMs: nowMs, toMs };
    this.#judge();
  }

  /** A beep is over. */
  beep(): void {
    if (this.#detection?.isMachine) this.#end(this.#detection, 'beep');
  }

  /** A fax whistles from now on. */
  fax(): void {
    this.#isFax = true;
    this.#judge();
  }

  /** Ends the detection of this id, or whatever is going on. */
  stop(detectId?: string): void {
    const detection = this.#detection;
    if (detection && (detectId === undefined || detection.command.detectId === detectId))
      this.#end(detection, 'stopped');
  }

  #begin(detection: SimulatedDetection): void {
    detection.startedMs = this.#line.clock.monotonicMs();
    detection.limit = this.#line.clock.after(detection.command.timeoutMs, () => this.#end(detection, 'unknown'));
    this.#judge();
  }

  #judge(): void {
    const { clock } = this.#line;
    const [detection, burst] = [this.#detection, this.#burst];
    if (!detection || !this.#carriesSound || detection.isMachine) return;
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
    detection.limit = this.#line.clock.after(awaitBeepMs, () => this.#end(detection, 'machine'));
  }

  #end(detection: SimulatedDetection, result: DetectResult): void {
    if (this.#detection !== detection) return;
    this.#detection = undefined;
    detection.limit?.cancel();
    detection.decision?.cancel();
    const afterMs = this.#line.clock.monotonicMs() - detection.startedMs;
    this.#line.emit({ type: 'machine_detected', detectId: detection.command.detectId, result, afterMs });
  }
}
