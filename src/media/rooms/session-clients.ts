/** Messages to the clients of a session. A participant without a link misses them, and receives the state when it returns. */
import type { ServerMessage } from '../../base/core/room-messages.ts';
import { type Participant, shown } from './participant.ts';

export class SessionClients {
  readonly #inside: () => readonly Participant[];

  /** `inside`: the admitted participants, to whom messages for all are sent. */
  constructor(inside: () => readonly Participant[]) {
    this.#inside = inside;
  }

  tell({ link }: Participant, message: ServerMessage): void {
    link?.send(message);
  }

  tellAll(message: ServerMessage): void {
    for (const one of this.#inside()) this.tell(one, message);
  }

  tellOthers(about: Participant, message: ServerMessage): void {
    for (const one of this.#inside()) if (one !== about) this.tell(one, message);
  }

  tellModerators(message: ServerMessage): void {
    for (const one of this.#inside()) if (one.role === 'moderator') this.tell(one, message);
  }

  /** Tells all the current state of a participant. */
  tellChange(participant: Participant): void {
    this.tellAll({ type: 'changed', participant: shown(participant) });
  }
}
