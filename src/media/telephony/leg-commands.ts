/**
 * Tracks the audio commands of a leg until each has its final event (E2), also if no media port was ever opened or its
 * thread died. Commands that the media port has answered are not answered again.
 */
import type { Clock } from '../../base/core/clock.ts';
import type { LegEvent, MediaCommand } from '../../base/core/leg.ts';
import { answeredRequestOf, requestKeyOf, stoppedRequestOf } from '../../base/core/leg-answers.ts';
import type { MediaCommandOf, MediaPort } from './media/media-port.ts';

export type SendDigits = MediaCommandOf<'send_digits'>;

export interface LegCommandsUser {
  event(event: LegEvent): void;
  /** Sends digits, once the port is open: the negotiation decides how. */
  sendDigits(command: SendDigits): void;
}

export class LegCommands {
  readonly #mediaId: string;
  readonly #media: MediaPort;
  readonly #clock: Clock;
  readonly #user: LegCommandsUser;
  #state: 'waiting' | 'open' | 'closed' = 'waiting';
  /** Commands that wait until the port is open. */
  #waiting: MediaCommand[] = [];
  /** Requests without their final event, by key. */
  readonly #unanswered = new Map<string, { command: MediaCommand; sinceMs: number }>();

  constructor(mediaId: string, { media, clock }: { media: MediaPort; clock: Clock }, user: LegCommandsUser) {
    this.#mediaId = mediaId;
    this.#media = media;
    this.#clock = clock;
    this.#user = user;
  }

  execute(command: MediaCommand): void {
    if (this.#state === 'closed') return;
    const key = requestKeyOf(command);
    if (key !== undefined) {
      if (this.#unanswered.has(key)) return;
      this.#unanswered.set(key, { command, sinceMs: this.#clock.monotonicMs() });
    }
    if (this.#state === 'open') this.#send(command);
    else if (!this.#stopsWaiting(command)) this.#waiting.push(command);
  }

  opened(): void {
    this.#state = 'open';
    for (const command of this.#waiting.splice(0)) this.#send(command);
  }

  /** Handles an event of the media port, or of digits sent by INFO. */
  answered(event: LegEvent): void {
    const request = answeredRequestOf(event);
    if (!request) return;
    const { name, isFinal } = request;
    if (isFinal ? this.#unanswered.delete(name) : this.#unanswered.has(name)) this.#user.event(event);
  }

  end(): void {
    this.#state = 'closed';
    this.#waiting = [];
    for (const key of [...this.#unanswered.keys()]) this.#endUnanswered(key, 'hangup');
  }

  /** Stops a request that has not started by removing it from the queue. */
  #stopsWaiting(stop: MediaCommand): boolean {
    const key = stoppedRequestOf(stop);
    if (key === undefined) return false;
    this.#waiting = this.#waiting.filter((waiting) => requestKeyOf(waiting) !== key);
    this.#endUnanswered(key, 'stopped');
    return true;
  }

  #send(command: MediaCommand): void {
    if (command.type === 'send_digits') this.#user.sendDigits(command);
    else this.#media.send(this.#mediaId, command);
  }

  #endUnanswered(key: string, reason: 'hangup' | 'stopped'): void {
    const unanswered = this.#unanswered.get(key);
    if (!unanswered) return;
    const { command, sinceMs } = unanswered;
    const event = finalEventOf(command, reason, this.#clock.monotonicMs() - sinceMs);
    if (event) this.answered(event);
  }
}

/** Final event of a request that is never answered otherwise. */
function finalEventOf(command: MediaCommand, reason: 'hangup' | 'stopped', afterMs: number): LegEvent | undefined {
  switch (command.type) {
    case 'play':
      return { type: 'play_ended', playId: command.playId, reason: 'stopped', playedMs: 0 };
    case 'record': {
      const { recordId, file } = command;
      return { type: 'record_ended', recordId, file, reason, durationMs: 0, speechMs: 0 };
    }
    case 'stream':
      return { type: 'stream_ended', streamId: command.streamId, reason };
    case 'assistant':
      return { type: 'assistant_ended', assistantId: command.assistantId, reason };
    case 'listen':
      return { type: 'listen_ended', listenId: command.listenId, reason: 'stopped' };
    case 'detect_machine':
      return { type: 'machine_detected', detectId: command.detectId, result: 'stopped', afterMs };
    case 'send_digits':
      return { type: 'digits_sent', sendId: command.sendId };
    default:
      return undefined;
  }
}
