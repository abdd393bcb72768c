/**
 * Media of one channel: playbacks, digits, recordings, and its mix. Executes the commands of `MediaCommand` that
 * Asterisk supports. `leg.ts` does the signalling; `leg-player.ts` to `leg-mix.ts` are the parts.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { LegCommand, LegEvent, MediaCommand } from '../../../base/core/leg.ts';
import { requestKeyOf } from '../../../base/core/leg-answers.ts';
import type { AriClient } from './ari-client.ts';
import type { Accept, CommandWatermark, StoredWatermark } from './command-watermark.ts';
import { LegDigits } from './leg-digits.ts';
import { LegMix } from './leg-mix.ts';
import { LegPlayer } from './leg-player.ts';
import { LegRecorder } from './leg-recorder.ts';
import type { Mixes } from './mixes.ts';
import type { SoundFiles } from './sound-files.ts';

export interface LegMediaParts {
  legId: string;
  application: string;
  ari: Pick<AriClient, 'request' | 'file'>;
  sounds: SoundFiles;
  mixes: Mixes;
  clock: Clock;
  recordDirectory: string;
  watermark: CommandWatermark;
  emit(event: LegEvent): void;
  claim(playbackId: string): void;
  release(playbackId: string): void;
  subscribe(channelIds: readonly string[]): Promise<boolean>;
  /** Runs `work` after earlier requests to the channel, while it is up. */
  inOrder(work: () => Promise<void>): Promise<void>;
}

const DONE = Promise.resolve();

export class AsteriskLegMedia {
  readonly player: LegPlayer;
  readonly recorder: LegRecorder;
  readonly #digits: LegDigits;
  readonly #mix: LegMix;

  constructor({ sounds, mixes, claim, release, recordDirectory, application, inOrder, ...parts }: LegMediaParts) {
    const { legId, clock, emit, watermark, ari, subscribe } = parts;
    const { request } = ari;
    this.player = new LegPlayer({ legId, request, sounds, clock, watermark, emit, claim, release });
    this.recorder = new LegRecorder({ legId, application, ari, clock, recordDirectory, subscribe, emit });
    this.#digits = new LegDigits({ legId, request, clock, emit, whenIdle: () => this.player.whenIdle() });
    this.#mix = new LegMix({ legId, request, mixes, inOrder });
  }

  /** The channel is up. */
  open(): void {
    this.player.open();
    this.recorder.open();
    this.#digits.open();
    this.#mix.open();
  }

  /** False if Asterisk does not support the command. */
  perform(command: MediaCommand, accept: Accept): boolean {
    switch (command.type) {
      case 'play':
        this.player.play(command, accept);
        return true;
      case 'stop_play':
        this.player.stop(command.playId, accept);
        return true;
      case 'record':
        this.recorder.record(command, accept);
        return true;
      case 'send_digits':
        this.#digits.send(command, accept);
        return true;
      case 'hold':
        void this.#mix.hold(true);
        this.player.setMusic(command.music, accept);
        return true;
      default: {
        const done = this.#change(command);
        void done?.then(accept);
        return done !== undefined;
      }
    }
  }

  /**
   * Continues the work of another node, which had sent these commands; the last of them may not have arrived. Returns
   * the requests that are not answered yet.
   */
  async takeUp(commands: readonly LegCommand[], stored: StoredWatermark): Promise<Set<string>> {
    const open = new Set<string>();
    const arrived = commands.slice(0, stored.commands);
    for (const command of arrived) {
      if (command.type === 'hold') void this.#mix.hold(true);
      else if (command.type !== 'pause_record' && command.type !== 'stop_record') this.#change(command);
    }
    this.#mix.takeUp();
    await this.#takeUpPlay(commands, stored, open);
    const recordings = commands.filter((command) => command.type === 'record');
    for (const command of recordings) {
      const about = arrived.filter((other) => 'recordId' in other && other.recordId === command.recordId);
      if (about.some(({ type }) => type === 'stop_record')) continue;
      const pause = about.findLast((other) => other.type === 'pause_record');
      if (await this.recorder.takeUp(command, pause?.paused ?? false)) open.add(requestKeyOf(command)!);
    }
    return open;
  }

  /** Checks the state after the connection was lost. */
  check(): Promise<void> {
    return this.player.check();
  }

  /** Resolves when all recordings are stored here. */
  end(): Promise<void> {
    this.player.end();
    this.#digits.end();
    this.#mix.end();
    return this.recorder.end();
  }

  /** Releases everything without a change in Asterisk. */
  forget(): void {
    this.player.forget();
    this.recorder.forget();
    this.#digits.forget();
    this.#mix.forget();
  }

  /** Executes a command without an answer that may be executed twice; undefined if Asterisk does not support it. */
  #change(command: LegCommand): Promise<unknown> | undefined {
    switch (command.type) {
      case 'pause_record':
        this.recorder.pause(command.recordId, command.paused);
        return DONE;
      case 'stop_record':
        this.recorder.stop(command.recordId);
        return DONE;
      case 'withhold':
        this.recorder.withhold(command.on);
        return DONE;
      case 'resume':
        if (this.#mix.isHeld) this.player.setMusic(undefined);
        return this.#mix.hold(false);
      case 'join':
        return this.#mix.join(command.mixId, command.muted ?? false);
      case 'leave':
        return this.#mix.leave();
      case 'mute':
        return this.#mix.mute(command.muted);
      default:
        return undefined;
    }
  }

  async #takeUpPlay(commands: readonly LegCommand[], stored: StoredWatermark, open: Set<string>): Promise<void> {
    const arrived = commands.slice(0, stored.commands);
    const music = commands.findLast((command) => command.type === 'hold' || command.type === 'resume');
    if (music?.type === 'hold') {
      const playbackId = await this.player.playing(undefined);
      if (playbackId !== undefined || arrived.includes(music)) this.player.takeUp(music, playbackId);
    }
    const last = arrived.findLast((command) => command.type === 'play');
    const isStopped = arrived.some((other) => other.type === 'stop_play' && other.playId === last?.playId);
    const later = commands.slice(stored.commands).filter((command) => command.type === 'play');
    // A later play has stopped the earlier ones.
    for (const command of [...later.reverse(), ...(last && !isStopped ? [last] : [])]) {
      const playbackId = await this.player.playing(command.playId);
      const goesOn = playbackId !== undefined || (command === last && command.repeat === true);
      if (!goesOn) continue;
      this.player.takeUp(command, playbackId);
      open.add(requestKeyOf(command)!);
      return;
    }
  }
}
