/** Measures what the party says: how long, how much of it was speech, and when a recording has to end. */
import type { Timer } from '../../core/clock.ts';
import type { LegCommand, LegEvent } from '../../core/leg.ts';
import type { Line } from './line.ts';

type RecordCommand = Extract<LegCommand, { type: 'record' }>;
type RecordReason = Extract<LegEvent, { type: 'record_ended' }>['reason'];

interface Recording {
  command: RecordCommand;
  startedMs: number | undefined;
  timer: Timer | undefined;
}

export class Recorder {
  readonly #line: Line;
  /** When the party spoke: merged, in order. */
  readonly #speech: { fromMs: number; toMs: number }[] = [];
  #recording: Recording | undefined;

  constructor(line: Line) {
    this.#line = line;
  }

  get records(): boolean {
    return this.#recording?.startedMs !== undefined;
  }

  record(command: RecordCommand, carriesSound: boolean): void {
    this.end('stopped');
    this.#recording = { command, startedMs: undefined, timer: undefined };
    if (carriesSound) this.open();
  }

  /** The line carries sound from now on. */
  open(): void {
    if (!this.#recording) return;
    this.#recording.startedMs = this.#line.clock.now();
    this.#arm(this.#recording);
    this.#line.notice({ type: 'recorded' });
  }

  speak(durationMs: number): void {
    const fromMs = this.#line.clock.now();
    const last = this.#speech.at(-1);
    if (last && last.toMs >= fromMs) last.toMs = Math.max(last.toMs, fromMs + durationMs);
    else this.#speech.push({ fromMs, toMs: fromMs + durationMs });
    if (this.#recording) this.#arm(this.#recording);
  }

  digit(digit: string): void {
    if (this.#recording?.command.terminators.includes(digit)) this.end('terminator');
  }

  /** Ends the recording of this id, or whatever is recorded. */
  end(reason: RecordReason, recordId?: string): void {
    const recording = this.#recording;
    if (!recording || (recordId !== undefined && recording.command.recordId !== recordId)) return;
    this.#recording = undefined;
    recording.timer?.cancel();
    const nowMs = this.#line.clock.now();
    const startedMs = recording.startedMs ?? nowMs;
    let speechMs = 0;
    for (const { fromMs, toMs } of this.#speech) {
      speechMs += Math.max(0, Math.min(toMs, nowMs) - Math.max(fromMs, startedMs));
    }
    const { recordId: id, file } = recording.command;
    this.#line.emit({ type: 'record_ended', recordId: id, reason, file, durationMs: nowMs - startedMs, speechMs });
  }

  /** Sets the timer of the end that comes first, as far as the speech is known by now. */
  #arm(recording: Recording): void {
    if (recording.startedMs === undefined) return;
    recording.timer?.cancel();
    const { maxLengthMs, endSilenceMs } = recording.command;
    const fullMs = recording.startedMs + maxLengthMs;
    const last = this.#speech.at(-1);
    const spoke = last !== undefined && last.toMs > recording.startedMs;
    const silentMs = spoke && endSilenceMs > 0 ? last.toMs + endSilenceMs : Number.POSITIVE_INFINITY;
    const reason = silentMs <= fullMs ? 'end_silence' : 'max_length';
    const dueMs = Math.min(silentMs, fullMs);
    recording.timer = this.#line.clock.after(dueMs - this.#line.clock.now(), () => this.end(reason));
  }
}
