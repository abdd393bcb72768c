/** Audio without a prompt: hold music in a loop, or the audio of a stream receiver. */
import type { Timer } from '../../../base/core/clock.ts';
import type { AudioItem } from '../../../base/core/leg.ts';
import type { HeardAudio } from './far-end.ts';
import type { LegChannel } from './leg-channel.ts';

export class LoopedAudio {
  readonly #channel: LegChannel;
  #items: AudioItem[] = [];
  #repeat = false;
  #playId = '';
  #index = 0;
  #timer: Timer | undefined;
  #now: HeardAudio | undefined;

  constructor(channel: LegChannel) {
    this.#channel = channel;
  }

  get isPlaying(): boolean {
    return this.#now !== undefined;
  }

  start(playId: string, items: readonly AudioItem[], options: { repeat: boolean }): void {
    this.stop();
    this.#playId = playId;
    this.#items = items.filter((item) => this.#lasts(item) > 0);
    this.#repeat = options.repeat;
    this.#index = 0;
    if (this.#items.length > 0) this.#next();
  }

  stop(): void {
    this.#timer?.cancel();
    if (this.#now) this.#now.toMs = this.#channel.clock.monotonicMs();
    this.#now = undefined;
  }

  #next(): void {
    this.stop();
    if (this.#index === this.#items.length && !this.#repeat) return;
    const item = this.#items[this.#index++ % this.#items.length]!;
    this.#now = { playId: this.#playId, item, fromMs: this.#channel.clock.monotonicMs() };
    this.#channel.heard.push(this.#now);
    this.#timer = this.#channel.clock.after(this.#lasts(item), () => this.#next());
    this.#channel.notice({ type: 'hears', heard: this.#now });
  }

  /** Unavailable audio is silent, as on a real line. */
  #lasts(item: AudioItem): number {
    try {
      return this.#channel.audio.durationMs(item);
    } catch {
      return 0;
    }
  }
}
