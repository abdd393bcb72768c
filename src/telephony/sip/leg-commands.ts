/**
 * What the host asks of a leg's sound, on its way to the media port, and the answers on their way back.
 * Invariant: each play, record, send_digits, stream, listen and detect_machine is answered by one final event (E2), also
 * when no media port was ever opened or its thread died; what the media port answered is not answered again.
 */
import type { LegCommand, LegEvent } from '../../core/leg.ts';
import { answeredRequestOf, requestKeyOf } from '../../core/leg-answers.ts';
import type { MediaEvent, MediaPort } from '../media/media-port.ts';

export type AudioCommand = Exclude<
  LegCommand,
  { type: 'ring' | 'progress' | 'answer' | 'reject' | 'hangup' | 'refer' | 'refer_progress' }
>;
type Command<Type extends AudioCommand['type']> = Extract<AudioCommand, { type: Type }>;
export type SendDigits = Command<'send_digits'>;

/** Everything that the media port tells of a command. */
export type AudioAnswer = Exclude<MediaEvent, { type: 'closed' | 'digit' | 'unheard' }>;

export interface LegCommandsUser {
  event(event: LegEvent): void;
  /** Digits, once the port is open: by which way they go is known to who negotiated. */
  sendDigits(command: SendDigits): void;
  now(): number;
}

/** A command without its final event yet. */
interface Unanswered {
  /** What it gets at the end if nobody else gives one. */
  atTheEnd: () => AudioAnswer;
  /** What it gets when it is stopped before it began. */
  whenStopped: () => AudioAnswer;
}

export class LegCommands {
  readonly #mediaId: string;
  readonly #media: MediaPort;
  readonly #user: LegCommandsUser;
  #state: 'waiting' | 'open' | 'closed' = 'waiting';
  /** Commands given before the port is open: they wait for the answer to the call. */
  #waiting: AudioCommand[] = [];
  readonly #unanswered = new Map<string, Unanswered>();

  constructor(mediaId: string, media: MediaPort, user: LegCommandsUser) {
    this.#mediaId = mediaId;
    this.#media = media;
    this.#user = user;
  }

  take(command: AudioCommand): void {
    if (this.#state === 'closed') return;
    const id = requestKeyOf(command);
    if (id !== undefined) {
      if (this.#unanswered.has(id)) return;
      this.#unanswered.set(id, this.#answersOf(command));
    }
    if (this.#state === 'open') this.#pass(command);
    else if (!this.#unbegun(command)) this.#waiting.push(command);
  }

  opened(): void {
    this.#state = 'open';
    for (const command of this.#waiting.splice(0)) this.#pass(command);
  }

  /** From the media port, or from who sent digits another way. */
  answered(answer: AudioAnswer): void {
    const told = answeredRequestOf(answer);
    if (!told) return;
    const { name, isFinal } = told;
    if (isFinal ? this.#unanswered.delete(name) : this.#unanswered.has(name)) this.#user.event(answer);
  }

  end(): void {
    this.#state = 'closed';
    this.#waiting = [];
    for (const { atTheEnd } of [...this.#unanswered.values()]) this.answered(atTheEnd());
  }

  /** Something that has not begun is stopped by not beginning. */
  #unbegun(stop: AudioCommand): boolean {
    const id = idOfStop(stop);
    if (id === undefined) return false;
    this.#waiting = this.#waiting.filter((waiting) => requestKeyOf(waiting) !== id);
    const unanswered = this.#unanswered.get(id);
    if (unanswered) this.answered(unanswered.whenStopped());
    return true;
  }

  #pass(command: AudioCommand): void {
    const id = this.#mediaId;
    const media = this.#media;
    switch (command.type) {
      case 'play':
        media.play(id, { playId: command.playId, audio: command.audio, repeat: command.repeat ?? false });
        break;
      case 'stop_play':
        media.stopPlay(id, command.playId);
        break;
      case 'record': {
        const { type: _, dual = false, background = false, ...request } = command;
        media.record(id, { ...request, dual, background });
        break;
      }
      case 'pause_record':
        media.pauseRecord(id, command.recordId, command.paused);
        break;
      case 'stop_record':
        media.stopRecord(id, command.recordId);
        break;
      case 'send_digits':
        this.#user.sendDigits(command);
        break;
      case 'hold':
        media.hold(id, command.music);
        break;
      case 'resume':
        media.hold(id, undefined);
        break;
      case 'join':
        media.join(id, command.mixId, command.muted ?? false);
        break;
      case 'leave':
        media.leave(id);
        break;
      case 'mute':
        media.mute(id, command.muted);
        break;
      case 'stream': {
        const { type: _, ...request } = command;
        media.stream(id, request);
        break;
      }
      case 'stop_stream':
        media.stopStream(id, command.streamId);
        break;
      case 'listen': {
        const { type: _, ...request } = command;
        media.listen(id, request);
        break;
      }
      case 'stop_listen':
        media.stopListen(id, command.listenId);
        break;
      case 'detect_machine': {
        const { type: _, ...request } = command;
        media.detect(id, request);
        break;
      }
      case 'stop_detect':
        media.stopDetect(id, command.detectId);
        break;
    }
  }

  #answersOf(command: AudioCommand): Unanswered {
    const sinceMs = this.#user.now();
    const same = (answer: AudioAnswer): Unanswered => ({ atTheEnd: () => answer, whenStopped: () => answer });
    switch (command.type) {
      case 'play':
        return same({ type: 'play_ended', playId: command.playId, reason: 'stopped', playedMs: 0 });
      case 'record': {
        const { recordId, file } = command;
        const ended = { type: 'record_ended', recordId, file, durationMs: 0, speechMs: 0 } as const;
        return {
          atTheEnd: () => ({ ...ended, reason: 'hangup' }),
          whenStopped: () => ({ ...ended, reason: 'stopped' }),
        };
      }
      case 'stream': {
        const ended = { type: 'stream_ended', streamId: command.streamId } as const;
        return {
          atTheEnd: () => ({ ...ended, reason: 'hangup' }),
          whenStopped: () => ({ ...ended, reason: 'stopped' }),
        };
      }
      case 'listen':
        return same({ type: 'listen_ended', listenId: command.listenId, reason: 'stopped' });
      case 'detect_machine': {
        const { detectId } = command;
        const stopped = (): AudioAnswer => {
          return { type: 'machine_detected', detectId, result: 'stopped', afterMs: this.#user.now() - sinceMs };
        };
        return { atTheEnd: stopped, whenStopped: stopped };
      }
      case 'send_digits':
        return same({ type: 'digits_sent', sendId: command.sendId });
      default:
        throw new Error(`${command.type} has no answer`);
    }
  }
}

/** Of what a stop stops. */
function idOfStop(command: AudioCommand): string | undefined {
  switch (command.type) {
    case 'stop_play':
      return `play ${command.playId}`;
    case 'stop_record':
      return `record ${command.recordId}`;
    case 'stop_stream':
      return `stream ${command.streamId}`;
    case 'stop_listen':
      return `listen ${command.listenId}`;
    case 'stop_detect':
      return `detect ${command.detectId}`;
    default:
      return undefined;
  }
}
