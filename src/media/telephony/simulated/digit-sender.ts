/** Sends sequences of digits to the party, one after the other. */
import type { Timer } from '../../../base/core/clock.ts';
import type { LegCommand } from '../../../base/core/leg.ts';
import { DIGIT_PAUSE_MS } from '../../toolbox/dtmf/dtmf-events.ts';
import type { LegChannel } from './leg-channel.ts';

type SendCommand = Extract<LegCommand, { type: 'send_digits' }>;

const SENDABLE = /[0-9*#A-Dw]/;

export class DigitSender {
  /** All digits that the party has received. */
  received = '';
  readonly #channel: LegChannel;
  readonly #queue: SendCommand[] = [];
  #timer: Timer | undefined;

  constructor(channel: LegChannel) {
    this.#channel = channel;
  }

  send(command: SendCommand): void {
    this.#queue.push(command);
    if (this.#queue.length === 1 && this.#channel.hasAudio) this.#next();
  }

  /** Called when the leg starts to carry audio. */
  open(): void {
    this.#next();
  }

  /** Finishes all queued sequences, sent or not. */
  close(): void {
    this.#timer?.cancel();
    for (const { sendId } of this.#queue.splice(0)) this.#channel.emit({ type: 'digits_sent', sendId });
  }

  #next(): void {
    const job = this.#queue[0];
    if (job)
      this.#step(
        job,
        [...job.digits].filter((digit) => SENDABLE.test(digit)),
        0,
      );
  }

  #step(job: SendCommand, digits: string[], index: number): void {
    const digit = digits[index];
    const isLast = index >= digits.length - 1;
    const sendNext = (): void => {
      if (isLast) this.#finish(job);
      else this.#step(job, digits, index + 1);
    };
    if (digit === undefined) {
      this.#finish(job);
      return;
    }
    if (digit === 'w') {
      this.#timer = this.#channel.clock.after(DIGIT_PAUSE_MS, sendNext);
      return;
    }
    this.received += digit;
    this.#channel.notice({ type: 'digit', digit });
    this.#timer = this.#channel.clock.after(job.toneMs + (isLast ? 0 : job.gapMs), sendNext);
  }

  #finish(job: SendCommand): void {
    this.#queue.shift();
    this.#channel.emit({ type: 'digits_sent', sendId: job.sendId });
    this.#next();
  }
}
