/**
 * Simulated recordings: measures their duration and speech, and decides when they end. There is one in the foreground
 * and one in the background.
 */
import type { Timer } from '../../../base/core/clock.ts';
import type { LegCommand, LegEvent } from '../../../base/core/leg.ts';
import type { LegChannel } from './leg-channel.ts';

type RecordCommand = Extract<LegCommand, { type: 'record' }>;
type RecordEndReason = Extract<LegEvent, { type: 'record_ended' }>['reason'];

interface TimeSpan {
  fromMs: number;
  toMs: number;
}

interface SimulatedRecording {
  command: RecordCommand;
  /** Periods in which it ran: with audio, and not paused; the last one is open while it records. */
  runs: { fromMs: number; toMs?: number }[];
  isPaused: boolean;
  timer: Timer | undefined;
}

export class SimulatedRecorder {
  readonly #channel: LegChannel;
  /** Periods in which the party spoke: merged, in order. */
  readonly #speech: TimeSpan[] = [];
  #foreground: SimulatedRecording | undefined;
  #background: SimulatedRecording | undefined;

  constructor(channel: LegChannel) {
    this.#channel = channel;
  }

  /** True while one in the foreground runs, and is not paused. */
  get isRecording(): boolean {
    return this.#foreground !== undefined && isRunning(this.#foreground);
  }

  record(command: RecordCommand): void {
    const isBackground = command.background === true;
    const before = isBackground ? this.#background : this.#foreground;
    if (before) this.#end(before, 'stopped');
    const recording: SimulatedRecording = { command, runs: [], isPaused: false, timer: undefined };
    if (isBackground) this.#background = recording;
    else this.#foreground = recording;
    if (this.#channel.hasAudio) this.#run(recording);
  }

  /** Called when the leg starts to carry audio. */
  open(): void {
    for (const recording of this.#all()) if (!recording.isPaused) this.#run(recording);
  }

  pause(recordId: string, isPaused: boolean): void {
    for (const recording of this.#all()) {
      if (recording.command.recordId !== recordId || recording.isPaused === isPaused) continue;
      recording.isPaused = isPaused;
      if (!isPaused && this.#channel.hasAudio) this.#run(recording);
      else this.#rest(recording);
    }
  }

  speak(durationMs: number): void {
    const fromMs = this.#channel.clock.monotonicMs();
    const last = this.#speech.at(-1);
    if (last && last.toMs >= fromMs) last.toMs = Math.max(last.toMs, fromMs + durationMs);
    else this.#speech.push({ fromMs, toMs: fromMs + durationMs });
    for (const recording of this.#all()) this.#arm(recording);
  }

  digit(digit: string): void {
    for (const recording of this.#all()) {
      if (isRunning(recording) && recording.command.terminators.includes(digit)) this.#end(recording, 'terminator');
    }
  }

  /** Ends the recording with this id, or all. */
  end(reason: RecordEndReason, recordId?: string): void {
    for (const recording of this.#all()) {
      if (recordId === undefined || recording.command.recordId === recordId) this.#end(recording, reason);
    }
  }

  #all(): SimulatedRecording[] {
    return [this.#foreground, this.#background].filter((recording) => recording !== undefined);
  }

  #run(recording: SimulatedRecording): void {
    recording.runs.push({ fromMs: this.#channel.clock.monotonicMs() });
    this.#arm(recording);
    if (recording === this.#foreground) this.#channel.notice({ type: 'recorded' });
  }

  #rest(recording: SimulatedRecording): void {
    recording.timer?.cancel();
    const run = recording.runs.at(-1);
    if (run) run.toMs ??= this.#channel.clock.monotonicMs();
  }

  #end(recording: SimulatedRecording, reason: RecordEndReason): void {
    this.#rest(recording);
    if (recording === this.#foreground) this.#foreground = undefined;
    else this.#background = undefined;
    const { recordId, file } = recording.command;
    const [durationMs, speechMs] = [this.#lastedMs(recording), this.#spokenMs(recording)];
    this.#channel.emit({ type: 'record_ended', recordId, reason, file, durationMs, speechMs });
  }

  #lastedMs({ runs }: SimulatedRecording): number {
    const nowMs = this.#channel.clock.monotonicMs();
    return runs.reduce((sumMs, { fromMs, toMs = nowMs }) => sumMs + toMs - fromMs, 0);
  }

  #spokenMs({ runs }: SimulatedRecording): number {
    const nowMs = this.#channel.clock.monotonicMs();
    let spokenMs = 0;
    for (const { fromMs, toMs = nowMs } of runs) {
      for (const speech of this.#speech) {
        spokenMs += Math.max(0, Math.min(speech.toMs, toMs) - Math.max(speech.fromMs, fromMs));
      }
    }
    return spokenMs;
  }

  /** Schedules the earliest end for the speech that is known so far. */
  #arm(recording: SimulatedRecording): void {
    if (!isRunning(recording)) return;
    recording.timer?.cancel();
    const { maxLengthMs, endSilenceMs } = recording.command;
    const nowMs = this.#channel.clock.monotonicMs();
    const fullMs = nowMs + maxLengthMs - this.#lastedMs(recording);
    const last = this.#speech.at(-1);
    const spoke = last !== undefined && last.toMs > recording.runs[0]!.fromMs;
    const sinceMs = recording.runs.at(-1)!.fromMs;
    const silentMs = spoke && endSilenceMs > 0 ? Math.max(last.toMs, sinceMs) + endSilenceMs : Number.POSITIVE_INFINITY;
    const reason = silentMs <= fullMs ? 'end_silence' : 'max_length';
    const dueMs = Math.min(silentMs, fullMs);
    recording.timer = this.#channel.clock.after(dueMs - nowMs, () => this.#end(recording, reason));
  }
}

const isRunning = ({ runs }: SimulatedRecording): boolean => runs.length > 0 && runs.at(-1)!.toMs === undefined;
