/**
 * A media port whose audio takes virtual time: the leg at the other address hears what one leg plays or presses. Audio
 * is only its duration; a tone is speech.
 */
import type { Clock, Timer } from '../../src/base/core/clock.ts';
import { fault } from '../../src/base/core/fault.ts';
import type { AudioItem } from '../../src/base/core/leg.ts';
import type {
  MediaAddress,
  MediaEvent,
  MediaPort,
  MediaPortCommand,
  MediaRemote,
  MediaRequestOf,
} from '../../src/media/telephony/media/media-port.ts';

export const MISSING = '/nowhere/missing.wav';

/** Legs by address. */
export type Air = Map<string, VirtualLeg>;

const keyOf = ({ host, port }: MediaAddress) => `${host}|${port}`;
const lengthOf = (item: AudioItem) => (item.type === 'tone' || item.type === 'silence' ? item.durationMs : 0);

type Kind = 'foreground' | 'background';

interface Recording {
  request: MediaRequestOf<'record'>;
  /** Until the last pause. */
  ranMs: number;
  /** Since the last pause; undefined during one. */
  sinceMs: number | undefined;
  speechMs: number;
  timers: Timer[];
  silence?: Timer;
}

class VirtualLeg {
  readonly #clock: Clock;
  readonly #air: Air;
  readonly #address: MediaAddress;
  readonly #tell: (event: MediaEvent) => void;
  #remote: MediaRemote | undefined;
  #open = true;
  #play: { request: MediaRequestOf<'play'>; sinceMs: number | undefined; timers: Timer[] } | undefined;
  readonly #records = new Map<Kind, Recording>();
  /** Running actions by id: the event that a stop emits, and the timer of an action with a duration. */
  readonly #running = new Map<string, { end: (stopped: boolean) => MediaEvent; timer: Timer | undefined }>();
  #digits: MediaRequestOf<'send_digits'>[] = [];
  #digitTimer: Timer | undefined;
  #isWithheld = false;

  constructor(clock: Clock, air: Air, address: MediaAddress, tell: (event: MediaEvent) => void) {
    this.#clock = clock;
    this.#air = air;
    this.#address = address;
    this.#tell = (event) => queueMicrotask(() => tell(event));
    air.set(keyOf(address), this);
  }

  get #far(): VirtualLeg | undefined {
    return this.#remote?.send ? this.#air.get(keyOf(this.#remote)) : undefined;
  }

  send(command: MediaPortCommand): void {
    switch (command.type) {
      case 'connect':
        this.#connect(command.remote);
        break;
      case 'play':
        this.#startPlay(command);
        break;
      case 'stop_play':
        if (this.#play?.request.playId === command.playId) this.#endPlay('stopped');
        break;
      case 'record':
        this.#record(command);
        break;
      case 'pause_record':
        this.#pauseRecord(command.recordId, command.paused);
        break;
      case 'stop_record':
        for (const [kind, { request }] of this.#records) {
          if (request.recordId === command.recordId) this.#endRecord(kind, 'stopped');
        }
        break;
      case 'stream':
        this.#stream(command);
        break;
      case 'stop_stream':
        this.#end(`stream ${command.streamId}`, true);
        break;
      case 'listen':
        this.#listen(command);
        break;
      case 'stop_listen':
        for (const kind of ['listen', 'transcript']) this.#end(`${kind} ${command.listenId}`, true);
        break;
      case 'detect_machine':
        this.#detect(command);
        break;
      case 'stop_detect':
        this.#end(`detect ${command.detectId}`, true);
        break;
      case 'send_digits':
        this.#sendDigits(command);
        break;
      case 'withhold':
        this.#isWithheld = command.on;
        break;
      case 'signalled_digit':
        this.#pressed(command.digit, command.durationMs);
        break;
      case 'close':
        this.close();
        break;
    }
  }

  #connect(remote: MediaRemote): void {
    this.#remote = remote;
    if (this.#play && this.#play.sinceMs === undefined) this.#begin();
    this.#press();
  }

  #startPlay(request: MediaRequestOf<'play'>): void {
    if (!this.#open) return;
    this.#endPlay('stopped');
    this.#play = { request, sinceMs: undefined, timers: [] };
    if (this.#remote) this.#begin();
  }

  #begin(): void {
    const play = this.#play!;
    const { audio, repeat } = play.request;
    if (audio.some((item) => item.type === 'file' && item.file === MISSING)) {
      this.#endPlay('failed');
      return;
    }
    play.sinceMs ??= this.#clock.now();
    if (audio.every((item) => lengthOf(item) === 0)) {
      this.#endPlay('finished');
      return;
    }
    let atMs = 0;
    for (const item of audio) {
      if (item.type === 'tone') {
        play.timers.push(this.#clock.after(atMs, () => this.#far?.speechBegins()));
        play.timers.push(this.#clock.after(atMs + item.durationMs, () => this.#far?.speechEnds(item.durationMs)));
      }
      atMs += lengthOf(item);
    }
    play.timers.push(this.#clock.after(atMs, () => (repeat ? this.#begin() : this.#endPlay('finished'))));
  }

  #endPlay(reason: 'finished' | 'stopped' | 'failed'): void {
    const play = this.#play;
    if (!play) return;
    this.#play = undefined;
    for (const timer of play.timers) timer.cancel();
    const playedMs = play.sinceMs === undefined ? 0 : this.#clock.now() - play.sinceMs;
    const ended = { type: 'play_ended', playId: play.request.playId, reason, playedMs } as const;
    this.#tell(reason === 'failed' ? { ...ended, fault: fault('audio_missing', 'there is no such file') } : ended);
  }

  #record(request: MediaRequestOf<'record'>): void {
    if (!this.#open) return;
    const kind = request.background ? 'background' : 'foreground';
    this.#endRecord(kind, 'stopped');
    this.#records.set(kind, { request, ranMs: 0, sinceMs: this.#clock.now(), speechMs: 0, timers: [] });
    this.#pace(kind);
  }

  /** The limit applies to the recorded duration. */
  #pace(kind: Kind): void {
    const record = this.#records.get(kind)!;
    for (const timer of record.timers.splice(0)) timer.cancel();
    if (record.sinceMs === undefined) return;
    const leftMs = record.request.maxLengthMs - record.ranMs;
    record.timers.push(this.#clock.after(leftMs, () => this.#endRecord(kind, 'max_length')));
  }

  #pauseRecord(recordId: string, paused: boolean): void {
    for (const [kind, record] of this.#records) {
      if (record.request.recordId !== recordId || (record.sinceMs === undefined) === paused) continue;
      record.ranMs = this.#ranMs(record);
      record.sinceMs = paused ? undefined : this.#clock.now();
      this.#pace(kind);
    }
  }

  #ranMs(record: Recording): number {
    return record.ranMs + (record.sinceMs === undefined ? 0 : this.#clock.now() - record.sinceMs);
  }

  speechBegins(): void {
    for (const { silence } of this.#records.values()) silence?.cancel();
  }

  speechEnds(durationMs: number): void {
    if (this.#isWithheld) return;
    for (const [kind, record] of this.#records) {
      if (record.sinceMs === undefined) continue;
      record.speechMs += Math.min(durationMs, this.#ranMs(record));
      const { endSilenceMs } = record.request;
      if (endSilenceMs > 0)
        record.silence = this.#clock.after(endSilenceMs, () => this.#endRecord(kind, 'end_silence'));
    }
  }

  #endRecord(kind: Kind, reason: Extract<MediaEvent, { type: 'record_ended' }>['reason']): void {
    const record = this.#records.get(kind);
    if (!record) return;
    this.#records.delete(kind);
    for (const timer of record.timers) timer.cancel();
    record.silence?.cancel();
    const { recordId, file } = record.request;
    const durationMs = this.#ranMs(record);
    this.#tell({ type: 'record_ended', recordId, reason, file, durationMs, speechMs: record.speechMs });
  }

  #stream({ streamId }: MediaRequestOf<'stream'>): void {
    if (!this.#open) return;
    this.#tell({ type: 'stream_started', streamId });
    this.#run(`stream ${streamId}`, undefined, (stopped) => {
      return { type: 'stream_ended', streamId, reason: stopped ? 'stopped' : 'hangup' };
    });
  }

  #listen({ listenId, maxLengthMs, continuous }: MediaRequestOf<'listen'>): void {
    if (!this.#open) return;
    const kind = continuous ? 'transcript' : 'listen';
    for (const id of [...this.#running.keys()]) if (id.startsWith(`${kind} `)) this.#end(id, true);
    this.#run(`${kind} ${listenId}`, maxLengthMs, (stopped) => {
      return { type: 'listen_ended', listenId, reason: stopped ? 'stopped' : 'no_input' };
    });
  }

  #detect({ detectId, timeoutMs }: MediaRequestOf<'detect_machine'>): void {
    if (!this.#open) return;
    for (const id of [...this.#running.keys()]) if (id.startsWith('detect ')) this.#end(id, true);
    const sinceMs = this.#clock.now();
    this.#run(`detect ${detectId}`, timeoutMs, (stopped) => {
      const afterMs = this.#clock.now() - sinceMs;
      return { type: 'machine_detected', detectId, result: stopped ? 'stopped' : 'unknown', afterMs };
    });
  }

  #run(id: string, limitMs: number | undefined, end: (stopped: boolean) => MediaEvent): void {
    const running = {
      end,
      timer: limitMs === undefined ? undefined : this.#clock.after(limitMs, () => this.#end(id, false)),
    };
    this.#running.set(id, running);
  }

  #end(id: string, stopped: boolean): void {
    const running = this.#running.get(id);
    if (!running) return;
    this.#running.delete(id);
    running.timer?.cancel();
    this.#tell(running.end(stopped));
  }

  #sendDigits(request: MediaRequestOf<'send_digits'>): void {
    if (!this.#open) return;
    this.#digits.push(request);
    this.#press();
  }

  #press(): void {
    const [request] = this.#digits;
    if (!request || !this.#remote || this.#digitTimer) return;
    const next = (index: number): void => {
      const digit = request.digits[index];
      if (digit === undefined) {
        this.#digitTimer = undefined;
        this.#digits.shift();
        this.#tell({ type: 'digits_sent', sendId: request.sendId });
        this.#press();
        return;
      }
      if (digit !== 'w') this.#far?.hear(digit, request.toneMs);
      this.#digitTimer = this.#clock.after(digit === 'w' ? 500 : request.toneMs + request.gapMs, () => next(index + 1));
    };
    this.#digitTimer = this.#clock.after(0, () => next(0));
  }

  hear(digit: string, durationMs: number): void {
    if (!this.#remote?.receive) return;
    this.#pressed(digit, durationMs);
  }

  #pressed(digit: string, durationMs: number): void {
    this.#tell({ type: 'digit', digit, durationMs });
    for (const [kind, { request }] of this.#records) {
      if (request.terminators.includes(digit)) this.#endRecord(kind, 'terminator');
    }
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#air.delete(keyOf(this.#address));
    this.#endPlay('stopped');
    for (const kind of [...this.#records.keys()]) this.#endRecord(kind, 'hangup');
    for (const [id, { timer }] of this.#running) this.#end(id, timer !== undefined);
    this.#digitTimer?.cancel();
    for (const { sendId } of this.#digits.splice(0)) this.#tell({ type: 'digits_sent', sendId });
    this.#tell({ type: 'closed' });
  }
}

export class VirtualMedia implements MediaPort {
  readonly #clock: Clock;
  readonly #air: Air;
  readonly #host: string;
  readonly #legs = new Map<string, VirtualLeg>();
  #port = 20_000;

  constructor(clock: Clock, air: Air, host: string) {
    this.#clock = clock;
    this.#air = air;
    this.#host = host;
  }

  async start(): Promise<void> {}
  async stop(): Promise<void> {
    for (const leg of this.#legs.values()) leg.close();
  }

  async open({ mediaId, onEvent }: Parameters<MediaPort['open']>[0]): Promise<MediaAddress> {
    this.#port += 2;
    const address = { host: this.#host, port: this.#port };
    this.#legs.set(mediaId, new VirtualLeg(this.#clock, this.#air, address, onEvent));
    return address;
  }

  send(mediaId: string, command: MediaPortCommand): void {
    this.#legs.get(mediaId)?.send(command);
  }
}
