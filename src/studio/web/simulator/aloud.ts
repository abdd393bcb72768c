/**
 * Speaks what the caller hears, with the voices of the browser, one line after another. Knows which moment of the call is
 * being heard, so that a key can interrupt a prompt in the middle.
 */
import { signal } from '@preact/signals';
import type { Line } from '../journal/conversation.ts';

type FlowLine = Extract<Line, { who: 'flow' }>;

/** Whether this browser can, and has been asked to. */
export const canSpeak = typeof globalThis.speechSynthesis === 'object';
export const isAloud = signal(false);

export class Aloud {
  /** The line that is being spoken, by its entry. */
  readonly speaking = signal<number | undefined>(undefined);
  #spokenSeq = 0;
  #line: FlowLine | undefined;
  #fromStamp = 0;

  /** Speaks the lines after those that it has spoken. */
  follow(lines: readonly Line[], language: string): void {
    const last = lines.at(-1)?.seq ?? 0;
    if (!isAloud.value || !canSpeak || last < this.#spokenSeq) {
      this.stop();
      this.#spokenSeq = last;
      return;
    }
    const isNew = (line: Line): line is FlowLine =>
      line.who === 'flow' && line.leg === undefined && line.seq > this.#spokenSeq && !line.text.startsWith('♪');
    for (const line of lines.filter(isNew)) this.#speak(line, language);
    this.#spokenSeq = last;
  }

  #speak(line: FlowLine, language: string): void {
    const words = new SpeechSynthesisUtterance(line.text);
    words.lang = language;
    words.onstart = () => {
      this.#line = line;
      this.#fromStamp = performance.now();
      this.speaking.value = line.seq;
    };
    words.onend = () => {
      this.#line = undefined;
      this.speaking.value = undefined;
    };
    speechSynthesis.speak(words);
  }

  /** The moment of the call that is being heard; undefined while it is quiet. */
  get atMs(): number | undefined {
    if (this.#line === undefined) return undefined;
    const { atMs, toMs = atMs } = this.#line;
    return Math.min(Math.max(atMs, toMs - 1), atMs + performance.now() - this.#fromStamp);
  }

  stop(): void {
    if (canSpeak) speechSynthesis.cancel();
    this.#line = undefined;
    this.speaking.value = undefined;
  }
}
