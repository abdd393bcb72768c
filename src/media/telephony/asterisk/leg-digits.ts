/**
 * Sends sequences of digits, one after the other. Asterisk does not report when they are sent: their duration is waited
 * for. They also wait while a prompt is played, as they would in Asterisk.
 *
 * Invariant: every sequence is answered once, by `end` at the latest.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { LegCommand, LegEvent } from '../../../base/core/leg.ts';
import { type AriRequest, ariPath } from './ari-client.ts';
import type { Accept } from './command-watermark.ts';

type SendDigits = Extract<LegCommand, { type: 'send_digits' }>;

export interface LegDigitsParts {
  legId: string;
  request: AriRequest;
  clock: Clock;
  emit(event: LegEvent): void;
  whenIdle(): Promise<void>;
}

const PAUSE_MS = 500;
/** Delay from the request to the first packet, and from the last one to the party. */
const TRANSPORT_MS = 150;
/** RFC 4733 §2.5.2.2 and the length that networks recognise. */
const MIN_TONE_MS = 40;

export class LegDigits {
  readonly #parts: LegDigitsParts;
  readonly #queue: { command: SendDigits; accept: Accept }[] = [];
  #state: 'waiting' | 'idle' | 'sending' | 'over' = 'waiting';
  #timer: Timer | undefined;

  constructor(parts: LegDigitsParts) {
    this.#parts = parts;
  }

  open(): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'idle';
    void this.#next();
  }

  send(command: SendDigits, accept: Accept): void {
    if (this.#state === 'over') return;
    this.#queue.push({ command, accept });
    if (this.#state === 'idle') void this.#next();
  }

  end(): void {
    this.#state = 'over';
    this.#timer?.cancel();
    for (const { command } of this.#queue.splice(0)) {
      this.#parts.emit({ type: 'digits_sent', sendId: command.sendId });
    }
  }

  /** Another node has adopted the leg. */
  forget(): void {
    this.#queue.length = 0;
    this.end();
  }

  async #next(): Promise<void> {
    const [first] = this.#queue;
    if (!first || this.#isOver) return;
    const { command, accept } = first;
    this.#state = 'sending';
    const { legId, request, clock, whenIdle } = this.#parts;
    const { digits, gapMs } = command;
    const toneMs = Math.max(MIN_TONE_MS, command.toneMs);
    let lastsMs = 0;
    if (digits !== '') {
      await whenIdle();
      if (this.#isOver) return;
      // A node that takes over the leg must not send them again.
      await accept();
      if (this.#isOver) return;
      await request('POST', ariPath('channels', legId, 'dtmf'), { dtmf: digits, duration: toneMs, between: gapMs });
      for (const digit of digits) lastsMs += digit === 'w' ? PAUSE_MS : toneMs + gapMs;
      lastsMs += TRANSPORT_MS;
    } else void accept();
    if (this.#isOver) return;
    this.#timer = clock.after(lastsMs, () => {
      this.#queue.shift();
      this.#parts.emit({ type: 'digits_sent', sendId: command.sendId });
      this.#state = 'idle';
      void this.#next();
    });
  }

  get #isOver(): boolean {
    return this.#state === 'over';
  }
}
