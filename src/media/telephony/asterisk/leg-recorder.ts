/**
 * Recordings of one channel. Each is made on a snoop channel, because a channel that is recorded directly cannot play
 * meanwhile: one snoops on the audio of the party, and for two tracks another one on the audio to the party. Asterisk
 * writes WAV files, which are fetched, stored at their destination, and deleted in Asterisk.
 *
 * Invariant: every recording is answered once, by `end` at the latest.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { atMost } from '../../../base/core/clock.ts';
import { type Fault, fault } from '../../../base/core/fault.ts';
import type { LegCommand, LegEvent } from '../../../base/core/leg.ts';
import type { AriClient, AriReply } from './ari-client.ts';
import { ariPath, onceThere } from './ari-client.ts';
import type { Accept } from './command-watermark.ts';
import { joinTracks, readTrack, speechMsOf, wavOf } from './recorded-tracks.ts';

type Record = Extract<LegCommand, { type: 'record' }>;
type Ended = Extract<LegEvent, { type: 'record_ended' }>;

export interface LegRecorderParts {
  legId: string;
  application: string;
  ari: Pick<AriClient, 'request' | 'file'>;
  clock: Clock;
  recordDirectory: string;
  /** Subscribes to events of these channels; false if Asterisk does not confirm it. */
  subscribe(channelIds: readonly string[]): Promise<boolean>;
  emit(event: LegEvent): void;
}

/** Asterisk completes a file within a packet. */
const FILE_END_MS = 2000;
/** Above the energy of G.711 noise, in the unit of Asterisk's detector. */
const TALK_THRESHOLD = 512;

interface Recording {
  command: Record;
  names: string[];
  snoops: string[];
  /** Resolves when Asterisk records. */
  began: Promise<Fault | undefined>;
  isPaused: boolean;
  limit?: Timer;
  leftMs: number;
  sinceMs: number;
  reason?: Ended['reason'];
  ending?: Promise<void>;
  finished: Map<string, () => void>;
}

export class LegRecorder {
  readonly #parts: LegRecorderParts;
  readonly #recordings = new Map<string, Recording>();
  readonly #waiting: { command: Record; accept: Accept }[] = [];
  #lastEnding: Promise<void> = Promise.resolve();
  #isOpen = false;
  #isOver = false;
  #isWithheld = false;

  constructor(parts: LegRecorderParts) {
    this.#parts = parts;
  }

  open(): void {
    if (this.#isOpen || this.#isOver) return;
    this.#isOpen = true;
    for (const { command, accept } of this.#waiting.splice(0)) this.#begin(command, accept);
  }

  record(command: Record, accept: Accept): void {
    if (this.#isOver || this.#recordings.has(command.recordId)) return;
    if (this.#waiting.some((waiting) => waiting.command.recordId === command.recordId)) return;
    const background = command.background ?? false;
    for (const other of [...this.#recordings.values()]) {
      if ((other.command.background ?? false) === background) this.#end(other, 'stopped');
    }
    for (const { command: other } of [...this.#waiting]) {
      if ((other.background ?? false) === background) this.stop(other.recordId);
    }
    if (this.#isOpen) this.#begin(command, accept);
    else this.#waiting.push({ command, accept });
  }

  /** Continues a recording of another node; false if there is none. Rejects if Asterisk does not answer. */
  async takeUp(command: Record, isPaused: boolean): Promise<boolean> {
    const { legId, ari, subscribe } = this.#parts;
    const recording = this.#add(command);
    recording.isPaused = isPaused;
    const [name] = recording.names;
    const [live, stored] = await Promise.all(
      ['live', 'stored'].map((where) => ari.request('GET', ariPath('recordings', where, name!))),
    );
    if (!isSaid(live) || !isSaid(stored)) throw new Error(`Asterisk does not say what it records of ${legId}`);
    if (live.status === 200) {
      if (!(await subscribe(recording.snoops))) throw new Error(`Asterisk does not give us the events of ${name}`);
      this.#count(recording);
    } else if (stored.status === 200) this.#end(recording, 'stopped');
    else this.#recordings.delete(command.recordId);
    return this.#recordings.has(command.recordId);
  }

  stop(recordId: string): void {
    const recording = this.#recordings.get(recordId);
    if (recording) {
      this.#end(recording, 'stopped');
      return;
    }
    const at = this.#waiting.findIndex((waiting) => waiting.command.recordId === recordId);
    const [waiting] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (!waiting) return;
    void waiting.accept();
    const { file } = waiting.command;
    this.#parts.emit({ type: 'record_ended', recordId, reason: 'stopped', file, durationMs: 0, speechMs: 0 });
  }

  pause(recordId: string, paused: boolean): void {
    const recording = this.#recordings.get(recordId);
    if (!recording || recording.isPaused === paused || recording.reason) return;
    recording.isPaused = paused;
    this.#count(recording);
    this.#onEach(recording, 'pause', paused);
  }

  withhold(on: boolean): void {
    if (this.#isWithheld === on) return;
    this.#isWithheld = on;
    for (const recording of this.#recordings.values()) this.#onEach(recording, 'mute', on);
  }

  digit(digit: string): void {
    for (const recording of this.#recordings.values()) {
      if (!recording.isPaused && recording.command.terminators.includes(digit)) this.#end(recording, 'terminator');
    }
  }

  /** The snoop channel of a recording detected the configured silence of the party. */
  silence(snoopId: string): void {
    for (const recording of this.#recordings.values()) {
      if (!recording.isPaused && recording.snoops.includes(snoopId)) this.#end(recording, 'end_silence');
    }
  }

  /** Asterisk has completed a file. */
  finished(name: string): void {
    for (const recording of this.#recordings.values()) recording.finished.get(name)?.();
  }

  /** Resolves when all files are stored here. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (const { command } of this.#waiting.splice(0)) {
      const { recordId, file } = command;
      this.#parts.emit({ type: 'record_ended', recordId, reason: 'hangup', file, durationMs: 0, speechMs: 0 });
    }
    const recordings = [...this.#recordings.values()];
    for (const recording of recordings) this.#end(recording, 'hangup');
    await Promise.all(recordings.map(({ ending }) => ending));
  }

  /** Another node has adopted the leg. */
  forget(): void {
    this.#isOver = true;
    for (const { limit } of this.#recordings.values()) limit?.cancel();
    this.#recordings.clear();
    this.#waiting.length = 0;
  }

  #begin(command: Record, accept: Accept): void {
    const recording = this.#add(command);
    recording.began = this.#start(recording).then((why) => {
      if (why) this.#end(recording, 'failed', why);
      else this.#count(recording);
      void accept();
      return why;
    });
  }

  #add(command: Record): Recording {
    const { legId } = this.#parts;
    const tracks = tracksOf(command);
    const base = `${legId}-${command.recordId}`.replace(/[^\w-]/g, '_');
    const recording: Recording = {
      ...{ command, isPaused: false, leftMs: command.maxLengthMs, sinceMs: this.#parts.clock.monotonicMs() },
      names: tracks.map((track) => `callweave-${base}-${track}`),
      snoops: tracks.map((track) => `${legId}.${command.recordId}.${track}`),
      began: Promise.resolve(undefined),
      finished: new Map(),
    };
    this.#recordings.set(command.recordId, recording);
    return recording;
  }

  async #start({ names, snoops, command }: Recording): Promise<Fault | undefined> {
    const { legId, application, ari, clock } = this.#parts;
    const tracks = tracksOf(command);
    const replies = await Promise.all(
      snoops.map(async (snoopId, at) => {
        const snoop = await ari.request('POST', ariPath('channels', legId, 'snoop', snoopId), {
          ...{ spy: tracks[at]!, app: application, appArgs: 'snoop' },
        });
        if (snoop.status !== 200) return snoop;
        if (command.endSilenceMs > 0 && tracks[at] === 'in') {
          const value = `${command.endSilenceMs},${TALK_THRESHOLD}`;
          await onceThere(clock, () =>
            ari.request('POST', ariPath('channels', snoopId, 'variable'), { variable: 'TALK_DETECT(set)', value }),
          );
        }
        const made = await onceThere(clock, () =>
          ari.request('POST', ariPath('channels', snoopId, 'record'), {
            ...{ name: names[at]!, format: 'wav', ifExists: 'overwrite' },
          }),
        );
        if (this.#isWithheld && tracks[at] === 'in') {
          await ari.request('POST', ariPath('recordings', 'live', names[at]!, 'mute'));
        }
        return made;
      }),
    );
    const refused = replies.find(({ status }) => status !== 201);
    return refused && fault('record_failed', 'Asterisk refused to record', { cause: `status ${refused.status}` });
  }

  /** Restarts the timer of the remaining time, which runs while the recording is not paused. */
  #count(recording: Recording): void {
    const { clock } = this.#parts;
    recording.limit?.cancel();
    if (recording.reason) return;
    const now = clock.monotonicMs();
    if (recording.isPaused) {
      recording.leftMs -= now - recording.sinceMs;
      return;
    }
    recording.sinceMs = now;
    recording.limit = clock.after(Math.max(0, recording.leftMs), () => this.#end(recording, 'max_length'));
  }

  #onEach({ names, began }: Recording, what: 'pause' | 'mute', isOn: boolean): void {
    const { ari } = this.#parts;
    void began.then(() => {
      for (const name of what === 'mute' ? names.slice(0, 1) : names) {
        void ari.request(isOn ? 'POST' : 'DELETE', ariPath('recordings', 'live', name, what));
      }
    });
  }

  #end(recording: Recording, reason: Ended['reason'], why?: Fault): void {
    if (recording.reason) return;
    recording.reason = reason;
    recording.limit?.cancel();
    // Emitted in the order of their ends, although files take time.
    const before = this.#lastEnding;
    recording.ending = this.#close(recording, reason, why).then(async (ended) => {
      await before;
      this.#parts.emit(ended);
    });
    this.#lastEnding = recording.ending;
  }

  async #close(recording: Recording, reason: Ended['reason'], why: Fault | undefined): Promise<Ended> {
    const { command, names, snoops, began } = recording;
    const { ari, clock } = this.#parts;
    // Its failure led to this call.
    const problem = why ?? (await began);
    if (!problem) {
      const files = names.map((name) => new Promise<void>((done) => recording.finished.set(name, done)));
      const stops = await Promise.all(
        names.map((name) => ari.request('POST', ariPath('recordings', 'live', name, 'stop'))),
      );
      // A recording that is not live any more is stored already.
      if (stops.some(({ status }) => status === 204)) await atMost(clock, FILE_END_MS, Promise.all(files));
    }
    for (const snoopId of snoops) void ari.request('DELETE', ariPath('channels', snoopId));
    const ended = await this.#keep(command, names, problem);
    this.#recordings.delete(command.recordId);
    return { ...ended, reason: ended.fault ? 'failed' : reason };
  }

  async #keep(command: Record, names: readonly string[], problem: Fault | undefined): Promise<Ended> {
    const { recordId, file } = command;
    const ended: Ended = { type: 'record_ended', recordId, reason: 'stopped', file, durationMs: 0, speechMs: 0 };
    if (problem) return { ...ended, fault: problem };
    try {
      const tracks = await Promise.all(
        names.map(async (name) => readTrack(await this.#parts.ari.file(ariPath('recordings', 'stored', name, 'file')))),
      );
      for (const name of names) void this.#parts.ari.request('DELETE', ariPath('recordings', 'stored', name));
      const pcm = joinTracks(tracks);
      const path = resolve(this.#parts.recordDirectory, file);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, wavOf(pcm, tracks.length === 2 ? 2 : 1), { mode: 0o600 });
      return { ...ended, durationMs: Math.round(pcm.length / tracks.length / 8), speechMs: speechMsOf(tracks[0]!) };
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      return { ...ended, fault: fault('record_failed', 'the recording could not be written', { cause }) };
    }
  }
}

const isSaid = (reply: AriReply | undefined): reply is AriReply => reply?.status === 200 || reply?.status === 404;

const tracksOf = ({ dual }: Record): readonly string[] => (dual ? ['in', 'out'] : ['in']);
