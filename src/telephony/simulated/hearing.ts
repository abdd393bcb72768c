/**
 * What a party hears, one thing at a time: a prompt, else the music of a hold, else what a stream's receiver sends, else
 * the others of its mix.
 */
import type { AudioItem } from '../../core/leg.ts';
import type { AudioSource } from '../audio.ts';
import type { FarEnd, Heard, Talk } from './far-end.ts';
import type { Line } from './line.ts';
import { Music } from './music.ts';

export interface HearingPorts {
  audio: Pick<AudioSource, 'durationMs'>;
  /** Where all that was heard is written down. */
  heard: Heard[];
  /** The line carries sound. */
  carries(): boolean;
  prompt(): boolean;
  /** The party has put us on hold: its phone is silent. */
  holdsUs(): boolean;
}

export class Hearing<Other extends FarEnd> {
  isHeld = false;
  company: readonly Other[] = [];
  readonly talks: Talk[] = [];
  readonly #line: Line;
  readonly #ports: HearingPorts;
  readonly #music: Music;
  readonly #streamed: Music;
  #others: readonly Other[] = [];
  #holdMusic: readonly AudioItem[] = [];
  #holds = 0;

  constructor(line: Line, ports: HearingPorts) {
    this.#line = line;
    this.#ports = ports;
    this.#music = new Music(line, ports.audio, ports.heard);
    this.#streamed = new Music(line, ports.audio, ports.heard);
  }

  hold(held: boolean, music: readonly AudioItem[] = []): void {
    this.#holdMusic = music;
    this.#music.stop();
    if (this.isHeld !== held) this.#line.notice({ type: 'held', held });
    this.isHeld = held;
  }

  /** The line ends: no music comes after what was played. */
  end(): void {
    this.isHeld = false;
    this.#holdMusic = [];
  }

  /** The receiver of a stream sends sound: lost, where something else is heard. */
  stream(streamId: string, item: AudioItem): void {
    if (this.#ports.prompt() || this.isHeld) return;
    this.#streamed.start(streamId, [item], { repeat: false });
    this.arrange();
  }

  /** Those of its mix whom it could hear. */
  meet(others: readonly Other[]): void {
    this.#others = others;
    this.arrange();
  }

  /** Decides anew what is heard. */
  arrange(): void {
    const { carries, prompt, holdsUs } = this.#ports;
    const isOpen = carries() && !prompt();
    if (!isOpen || this.isHeld) this.#streamed.stop();
    if (!isOpen || !this.isHeld) this.#music.stop();
    else if (!this.#music.sounds && this.#holdMusic.length > 0) {
      this.#music.start(`hold-${++this.#holds}`, this.#holdMusic, { repeat: true });
    }
    const isFree = isOpen && !this.isHeld && !holdsUs() && !this.#streamed.sounds;
    this.#keepCompany(isFree ? this.#others : []);
  }

  #keepCompany(others: readonly Other[]): void {
    if (others.length === this.company.length && others.every((each, at) => each === this.company[at])) return;
    const nowMs = this.#line.clock.monotonicMs();
    const last = this.talks.at(-1);
    if (last && last.toMs === undefined) last.toMs = nowMs;
    this.company = others;
    if (others.length > 0) this.talks.push({ with: others, fromMs: nowMs });
    this.#line.notice({ type: 'company', hears: others });
  }
}
