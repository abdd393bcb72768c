/** Recording of a session: started and stopped by moderators, or started automatically. */
import type { ServerMessage } from '../../base/core/room-messages.ts';
import { type Participant, recordedOf } from './participant.ts';
import type { SessionPorts } from './session-ports.ts';

interface SessionRecordingParts extends Pick<SessionPorts, 'room' | 'canRecord' | 'send' | 'onEvent'> {
  /** Participants who are in. */
  inside(): readonly Participant[];
  tellAll(message: ServerMessage): void;
}

export class SessionRecording {
  readonly #parts: SessionRecordingParts;
  #isOn = false;
  /** Automatic recording starts only once, so that it does not restart after a moderator stopped it. */
  #wasOn = false;

  constructor(parts: SessionRecordingParts) {
    this.#parts = parts;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Without `by`, it is automatic. */
  set(on: boolean, by?: Participant): void {
    const { canRecord, tellAll, onEvent } = this.#parts;
    if (this.#isOn === on || (on && !canRecord)) return;
    this.#isOn = on;
    this.#wasOn = true;
    this.#send();
    tellAll({ type: 'recording', on });
    onEvent(by === undefined ? { type: 'recording', on } : { type: 'recording', on, by });
  }

  /** A participant published a source. */
  published(): void {
    if (this.#isOn) this.#send();
    else if (this.#parts.room.settings.auto_recording && !this.#wasOn) this.set(true);
  }

  /** The engine restarted without the session. */
  restarted(): void {
    if (this.#isOn) this.#send();
  }

  #send(): void {
    const { room, inside, send } = this.#parts;
    send({ type: 'record', on: this.#isOn, sources: recordedOf(inside(), room.settings) });
  }
}
