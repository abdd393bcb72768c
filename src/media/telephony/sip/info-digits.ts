/**
 * Digits in INFO requests: `application/dtmf-relay` (Signal, Duration), `application/dtmf` (only the digit) and
 * `audio/telephone-event` (the payload of RFC 4733).
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { DIGIT_PAUSE_MS } from '../../toolbox/dtmf/dtmf-events.ts';
import type { SendDigits } from '../leg-commands.ts';
import { headerOf, type MessageBody, mediaType } from './message.ts';
import type { ServerTransaction } from './server-transaction.ts';

const DEFAULT_DURATION_MS = 100;
/** In the order of the RFC 4733 event numbers 10 to 15, which some phones send for keys other than digits. */
const OTHER_KEYS = '*#ABCD';

/** Responds to an INFO; `pressed` is called if it has a digit. */
export function receiveInfo(
  transaction: ServerTransaction,
  pressed: (digit: string, durationMs: number) => void,
): void {
  const { request } = transaction;
  if (request.body.length === 0) {
    transaction.respond(200);
    return;
  }
  const type = mediaType(headerOf(request, 'content-type'));
  if (!INFO_TYPES.includes(type)) {
    transaction.respond(415, { headers: [['Accept', INFO_TYPES.join(', ')]] });
    return;
  }
  const found =
    type === 'audio/telephone-event'
      ? readTelephoneEvent(request.body)
      : readInfoDigit(type, request.body.toString('latin1'));
  transaction.respond(found ? 200 : 400);
  if (found) pressed(found.digit, found.durationMs);
}

const INFO_TYPES: readonly string[] = ['application/dtmf-relay', 'application/dtmf', 'audio/telephone-event'];
const EVENT_BYTES = 4;

/** RFC 4733 §2.3, once for each key: the event, and its duration at 8 kHz. */
function readTelephoneEvent(body: Buffer): { digit: string; durationMs: number } | undefined {
  const event = body[0] ?? 16;
  if (body.length !== EVENT_BYTES || event > 15) return undefined;
  const digit = event < 10 ? String(event) : OTHER_KEYS[event - 10]!;
  return { digit, durationMs: Math.round(body.readUInt16BE(2) / 8) || DEFAULT_DURATION_MS };
}

function readInfoDigit(type: string, body: string): { digit: string; durationMs: number } | undefined {
  if (body.length > 500) return undefined;
  const signal = type === 'application/dtmf' ? body.trim() : /^[ \t]*signal[ \t]*=[ \t]*(\S+)[ \t]*$/im.exec(body)?.[1];
  const isNumber = /^1[0-5]$/.test(signal ?? '');
  const digit = isNumber ? OTHER_KEYS[Number(signal) - 10] : signal?.toUpperCase();
  if (digit === undefined || !/^[0-9*#A-D]$/.test(digit)) return undefined;
  const duration = /^[ \t]*duration[ \t]*=[ \t]*(\d{1,5})[ \t]*$/im.exec(body)?.[1];
  return { digit, durationMs: duration === undefined ? DEFAULT_DURATION_MS : Number(duration) };
}

/** Sends sequences of digits one after the other, paced. */
export class InfoDigits {
  readonly #clock: Clock;
  readonly #user: { send(body: MessageBody): void; sent(sendId: string): void };
  readonly #queue: SendDigits[] = [];
  #timer: Timer | undefined;
  #stopped = false;

  constructor(clock: Clock, user: { send(body: MessageBody): void; sent(sendId: string): void }) {
    this.#clock = clock;
    this.#user = user;
  }

  add(command: SendDigits): void {
    if (!this.#stopped && this.#queue.push(command) === 1) this.#next(command, 0);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #next(command: SendDigits, index: number): void {
    const digit = command.digits[index];
    if (digit === undefined) {
      this.#user.sent(command.sendId);
      this.#queue.shift();
      const following = this.#queue[0];
      if (following && !this.#stopped) this.#next(following, 0);
      return;
    }
    if (/^[0-9*#A-D]$/.test(digit)) this.#user.send(infoBody(digit, command.toneMs));
    const delayMs = digit === 'w' ? DIGIT_PAUSE_MS : command.toneMs + command.gapMs;
    this.#timer = this.#clock.after(delayMs, () => this.#next(command, index + 1));
  }
}

const infoBody = (digit: string, durationMs: number): MessageBody => ({
  type: 'application/dtmf-relay',
  content: `Signal=${digit}\r\nDuration=${durationMs}\r\n`,
});
