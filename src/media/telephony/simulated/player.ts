/** Plays prompts to the party: one at a time, item by item, each for its duration. */
import type { Timer } from '../../../base/core/clock.ts';
import { type Fault, fault, faultIn } from '../../../base/core/fault.ts';
import type { AudioItem, LegCommand } from '../../../base/core/leg.ts';
import type { HeardAudio } from './far-end.ts';
import type { LegChannel } from './leg-channel.ts';

type PlayCommand = Extract<LegCommand, { type: 'play' }>;

interface RunningPlay {
  command: PlayCommand;
  /** Items with a duration. */
  items: { item: AudioItem; durationMs: number }[];
  index: number;
  startedMs: number | undefined;
  heard: HeardAudio | undefined;
  timer: Timer | undefined;
}

export interface PlayerPorts {
  /** A prompt has started, or none is playing any more. */
  changed(): void;
  /** An item starts. */
  itemStarted(item: AudioItem, durationMs: number): void;
}

export class SimulatedPlayer {
  readonly #channel: LegChannel;
  readonly #ports: PlayerPorts;
  #play: RunningPlay | undefined;

  constructor(channel: LegChannel, ports: PlayerPorts) {
    this.#channel = channel;
    this.#ports = ports;
  }

  get isPlaying(): boolean {
    return this.#play?.heard !== undefined;
  }

  play(command: PlayCommand): void {
    if (this.#play) this.#end(this.#play, 'stopped');
    const { playId, audio } = command;
    try {
      const items = audio
        .map((item) => ({ item, durationMs: this.#channel.audio.durationMs(item) }))
        .filter(({ durationMs }) => durationMs > 0);
      this.#play = { command, items, index: 0, startedMs: undefined, heard: undefined, timer: undefined };
      if (this.#channel.hasAudio) this.#start(this.#play);
    } catch (error) {
      this.#channel.emit({ type: 'play_ended', playId, reason: 'failed', playedMs: 0, fault: faultOf(error) });
    }
    this.#ports.changed();
  }

  /** Called when the leg starts to carry audio. */
  open(): void {
    if (!this.#play) return;
    this.#start(this.#play);
    this.#ports.changed();
  }

  /** Ends the play with this id, or any. */
  stop(playId?: string): void {
    if (!this.#play || (playId !== undefined && this.#play.command.playId !== playId)) return;
    this.#end(this.#play, 'stopped');
    this.#ports.changed();
  }

  #start(play: RunningPlay): void {
    play.startedMs = this.#channel.clock.monotonicMs();
    this.#next(play);
  }

  #next(play: RunningPlay): void {
    this.#endItem(play);
    if (play.index >= play.items.length) {
      if (play.command.repeat !== true || play.items.length === 0) {
        this.#end(play, 'finished');
        return;
      }
      play.index = 0;
      this.#channel.notice({ type: 'round_over', playId: play.command.playId });
    }
    const { item, durationMs } = play.items[play.index]!;
    play.heard = { playId: play.command.playId, item, fromMs: this.#channel.clock.monotonicMs() };
    this.#channel.heard.push(play.heard);
    play.timer = this.#channel.clock.after(durationMs, () => {
      play.index++;
      this.#next(play);
      if (this.#play !== play) this.#ports.changed();
    });
    this.#channel.notice({ type: 'hears', heard: play.heard });
    this.#ports.itemStarted(item, durationMs);
  }

  #endItem(play: RunningPlay): void {
    if (play.heard) play.heard.toMs = this.#channel.clock.monotonicMs();
    play.heard = undefined;
  }

  #end(play: RunningPlay, reason: 'finished' | 'stopped'): void {
    this.#play = undefined;
    play.timer?.cancel();
    this.#endItem(play);
    const { playId } = play.command;
    const nowMs = this.#channel.clock.monotonicMs();
    this.#channel.emit({ type: 'play_ended', playId, reason, playedMs: nowMs - (play.startedMs ?? nowMs) });
    if (play.startedMs === undefined) return;
    if (reason === 'finished') this.#channel.notice({ type: 'round_over', playId });
    this.#channel.notice({ type: 'quiet' });
  }
}

function faultOf(error: unknown): Fault {
  return faultIn(error) ?? fault('audio_failed', error instanceof Error ? error.message : String(error));
}
