/**
 * Audio that a party hears, one source at a time: a prompt, else hold music, else the stream receiver, else its mix.
 */
import type { AudioItem } from '../../../base/core/leg.ts';
import type { FarEnd, Talk } from './far-end.ts';
import type { LegChannel } from './leg-channel.ts';
import { LoopedAudio } from './looped-audio.ts';

export interface PartyAudioPorts {
  /** True if the leg carries audio. */
  hasAudio(): boolean;
  isPromptPlaying(): boolean;
  /** True while the party has put the service on hold: its phone is silent. */
  holdsUs(): boolean;
}

export class PartyAudio<Other extends FarEnd> {
  isHeld = false;
  company: readonly Other[] = [];
  readonly talks: Talk[] = [];
  readonly #channel: LegChannel;
  readonly #ports: PartyAudioPorts;
  readonly #music: LoopedAudio;
  readonly #streamed: LoopedAudio;
  #others: readonly Other[] = [];
  #holdMusic: readonly AudioItem[] = [];
  #holds = 0;

  constructor(channel: LegChannel, ports: PartyAudioPorts) {
    this.#channel = channel;
    this.#ports = ports;
    this.#music = new LoopedAudio(channel);
    this.#streamed = new LoopedAudio(channel);
  }

  hold(held: boolean, music: readonly AudioItem[] = []): void {
    this.#holdMusic = music;
    this.#music.stop();
    if (this.isHeld !== held) this.#channel.notice({ type: 'held', held });
    this.isHeld = held;
  }

  /** The leg ends, and music stops. */
  end(): void {
    this.isHeld = false;
    this.#holdMusic = [];
  }

  /** Plays audio of a stream receiver; dropped while other audio plays. */
  playStreamed(streamId: string, item: AudioItem): void {
    if (this.#ports.isPromptPlaying() || this.isHeld) return;
    this.#streamed.start(streamId, [item], { repeat: false });
    this.update();
  }

  /** Stops the audio of the stream receiver. */
  stopStreamed(): void {
    this.#streamed.stop();
    this.update();
  }

  /** Sets the audible parties of its mix. */
  setMixPeers(others: readonly Other[]): void {
    this.#others = others;
    this.update();
  }

  /** Chooses the audio that is heard. */
  update(): void {
    const { hasAudio, isPromptPlaying, holdsUs } = this.#ports;
    const isOpen = hasAudio() && !isPromptPlaying();
    if (!isOpen || this.isHeld) this.#streamed.stop();
    if (!isOpen || !this.isHeld) this.#music.stop();
    else if (!this.#music.isPlaying && this.#holdMusic.length > 0) {
      this.#music.start(`hold-${++this.#holds}`, this.#holdMusic, { repeat: true });
    }
    const isFree = isOpen && !this.isHeld && !holdsUs() && !this.#streamed.isPlaying;
    this.#keepCompany(isFree ? this.#others : []);
  }

  #keepCompany(others: readonly Other[]): void {
    if (others.length === this.company.length && others.every((each, at) => each === this.company[at])) return;
    const nowMs = this.#channel.clock.monotonicMs();
    const last = this.talks.at(-1);
    if (last && last.toMs === undefined) last.toMs = nowMs;
    this.company = others;
    if (others.length > 0) this.talks.push({ with: others, fromMs: nowMs });
    this.#channel.notice({ type: 'company', hears: others });
  }
}
