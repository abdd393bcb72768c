/**
 * Polls of a session: a moderator asks, participants and moderators vote, and a moderator closes.
 *
 * Invariants
 *  - at most one poll is open;
 *  - a person has one vote, also after joining again: the reference and the name of the token identify them;
 *  - results reach only those who may see them; names leave the service only in polls that are not anonymous, and are
 *    never reported.
 */
import type { Clock, Timer } from '../../base/core/clock.ts';
import { defined } from '../../base/core/json.ts';
import type { ClientMessages, ServerMessage } from '../../base/core/room-messages.ts';
import type { Participant } from './participant.ts';
import type { PollReport, SessionEvent } from './session-ports.ts';

interface PollsParts {
  clock: Clock;
  nextId(kind: string): string;
  /** Participants who are in. */
  inside(): readonly Participant[];
  tell(participant: Participant, message: ServerMessage): void;
  onEvent(event: SessionEvent): void;
}

interface Poll extends Omit<ClientMessages['poll_start'], 'type'> {
  id: string;
  by: string;
  isOpen: boolean;
  /** By person. */
  votes: Map<string, { name: string; chosen: readonly number[] }>;
}

export type PollProblem = 'not_allowed' | 'not_available' | 'bad_message';

const MAX_POLLS = 50;
/** Votes are told to all together, because each one would be a message to each participant. */
const TELL_MS = 500;

export class Polls {
  readonly #parts: PollsParts;
  readonly #polls: Poll[] = [];
  #timer: Timer | undefined;

  constructor(parts: PollsParts) {
    this.#parts = parts;
  }

  get #open(): Poll | undefined {
    return this.#polls.find(({ isOpen }) => isOpen);
  }

  start(by: Participant, { type: _, ...order }: ClientMessages['poll_start']): PollProblem | undefined {
    if (by.role !== 'moderator') return 'not_allowed';
    if (this.#open || this.#polls.length >= MAX_POLLS) return 'not_available';
    const [question = '', ...answers] = [order.question, ...order.answers].map((text) => text.trim());
    const id = this.#parts.nextId('poll');
    const poll: Poll = { ...order, question, answers, id, by: by.name, isOpen: true, votes: new Map() };
    this.#polls.push(poll);
    this.#report(poll, by);
    this.#tellAll(poll);
    return undefined;
  }

  vote(voter: Participant, id: string, chosen: readonly number[]): PollProblem | undefined {
    if (voter.role !== 'moderator' && voter.role !== 'participant') return 'not_allowed';
    const poll = this.#open;
    if (poll?.id !== id) return 'not_available';
    const isValid = chosen.every((index) => index < poll.answers.length) && (poll.multiple || chosen.length === 1);
    if (!isValid) return 'bad_message';
    poll.votes.set(personOf(voter), { name: voter.name, chosen });
    this.#tell(voter, poll);
    this.#timer ??= this.#parts.clock.after(TELL_MS, () => {
      this.#timer = undefined;
      if (poll.isOpen) this.#tellAll(poll);
    });
    return undefined;
  }

  close(by: Participant, id: string): PollProblem | undefined {
    if (by.role !== 'moderator') return 'not_allowed';
    const poll = this.#open;
    if (poll?.id !== id) return 'not_available';
    this.#close(poll, by);
    this.#tellAll(poll);
    return undefined;
  }

  /** The session ends. */
  end(): void {
    this.#timer?.cancel();
    if (this.#open) this.#close(this.#open);
  }

  #close(poll: Poll, by?: Participant): void {
    poll.isOpen = false;
    this.#report(poll, by);
  }

  /** Sends all polls to a participant who has joined or resumed. */
  welcome(participant: Participant): void {
    for (const poll of this.#polls) this.#tell(participant, poll);
  }

  #tellAll(poll: Poll): void {
    for (const one of this.#parts.inside()) this.#tell(one, poll);
  }

  #tell(participant: Participant, poll: Poll): void {
    const { isOpen, votes, ...shown } = poll;
    const own = votes.get(personOf(participant))?.chosen;
    const isDone = own !== undefined || !isOpen;
    const seesResults = participant.role === 'moderator' || (poll.results === 'all' && isDone);
    this.#parts.tell(
      participant,
      defined<ServerMessage>({
        ...{ type: 'poll', ...shown, open: isOpen, votes: votes.size, own: own && [...own] },
        counts: seesResults ? namesOf(poll).map(({ length }) => length) : undefined,
        voters: seesResults && !poll.anonymous ? namesOf(poll) : undefined,
      }),
    );
  }

  #report(poll: Poll, by?: Participant): void {
    const { id, question, answers, multiple, anonymous, results, votes } = poll;
    const counts = namesOf(poll).map(({ length }) => length);
    const report: PollReport = {
      ...{ id, question, multiple, anonymous, results, voters: votes.size },
      answers: answers.map((text, index) => ({ text, votes: counts[index]! })),
    };
    this.#parts.onEvent(defined<SessionEvent>({ type: 'poll', state: poll.isOpen ? 'started' : 'closed', by, report }));
  }
}

/** Names of the voters, by answer. */
const namesOf = ({ answers, votes }: Poll): string[][] =>
  answers.map((_, index) => [...votes.values()].flatMap(({ name, chosen }) => (chosen.includes(index) ? [name] : [])));

const personOf = ({ userRef, name }: Participant): string => JSON.stringify([userRef, name]);
