/**
 * Speaks the prompts with the browser's voices, one line after another. Reports the moment of the call that is spoken,
 * so that a key can interrupt a prompt.
 */
import { signal } from '@preact/signals';
import type { TranscriptLine } from '../journal/conversation.ts';

type FlowLine = Extract<TranscriptLine, { who: 'flow' }>;

/** True if the browser supports speech synthesis. */
export const canSpeak = typeof globalThis.speechSynthesis === 'object';
export const isSpeechOn = signal(false);

export class SpeechOutput {
  /** Journal entry of the line being spoken. */
  readonly speaking = signal<number | undefined>(undefined);
  #spokenSeq = 0;
  #line: FlowLine | undefined;
  #fromStamp = 0;

  /** Speaks the lines that were added since the last call. */
  follow(lines: readonly TranscriptLine[], language: string): void {
    const last = lines.at(-1)?.seq ?? 0;
    if (!isSpeechOn.value || !canSpeak || last < this.#spokenSeq) {
      this.stop();
      this.#spokenSeq = last;
      return;
    }
    const isNew = (line: TranscriptLine): line is FlowLine =>
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

  /** Moment of the call that is being spoken. Undefined while nothing is spoken. */
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
