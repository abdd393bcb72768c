/**
 * Link of one client, from its first message to its last: validates the order of the messages and passes them to the
 * sessions (`sessions.ts`). `client-messages.ts` has their format.
 *
 * Invariant: a link that exceeds its message rate is closed; other links are not affected.
 */
import type { Clock } from '../../base/core/clock.ts';
import { MessageOrder } from '../../base/core/message-order.ts';
import type { ServerMessage, ServerMessages } from '../../base/core/room-messages.ts';
import type { TokenCheck } from '../../base/core/single-use-tokens.ts';
import { TokenBucket } from '../../base/core/token-bucket.ts';
import { type ClientMessage, type FirstMessage, isFirst, readMessage } from './client-messages.ts';
import type { Link, Participant } from './participant.ts';
import type { TokenHolder } from './room-tokens.ts';
import type { RoomSession } from './session.ts';
import type { CommandProblem } from './session-commands.ts';

/** Receiving end of one client's link. */
export interface ClientLink {
  message(text: string): void;
  /** `isGone`: the page was closed or reloaded. */
  closed(isGone?: boolean): void;
}

export interface Entered {
  session: RoomSession;
  participant: Participant;
}

export type First<Type extends FirstMessage> = Extract<ClientMessage, { type: Type }>;
export type LaterMessage = Exclude<ClientMessage, { type: FirstMessage | 'ping' }>;

/** Operations that the sessions offer to the client of one link. */
interface Reception {
  /** Calls `done` once, as `redeem` does: at once, or later if another node may have redeemed the token. */
  look(message: First<'look'>, done: (answer: ServerMessage) => void): void;
  hold(message: First<'hold'>): ServerMessage;
  feedback(message: First<'feedback'>): ServerMessage;
  redeem(message: First<'join'>, done: (check: TokenCheck<TokenHolder>) => void): void;
  join(check: TokenCheck<TokenHolder>): Entered | { code: string };
  resume(message: First<'resume'>): Entered | { code: string };
  command(participant: Participant, message: LaterMessage): CommandProblem | undefined;
  linkDown(participant: Participant, isGone?: boolean): void;
}

/** Message rate of one link: a burst, then the sustained rate. */
const BURST = 200;
const PER_SECOND = 50;

export function connectClient(link: Link, clock: Clock, reception: Reception): ClientLink {
  const allowance = new TokenBucket(clock, PER_SECOND, BURST);
  let joined: Participant | undefined;
  let isOpen = true;
  const close = (message?: ServerMessage): void => {
    if (!isOpen) return;
    isOpen = false;
    if (message) link.send(message);
    link.close();
  };
  const settle = (entered: Entered | { code: string }): void => {
    if ('code' in entered) close(errorOf(entered.code));
    else joined = entered.participant;
  };
  const enter = (message: First<FirstMessage>) => {
    if (joined) return link.send(errorOf('already_joined'));
    if (message.type === 'hold') return close(reception.hold(message));
    if (message.type === 'feedback') return close(reception.feedback(message));
    if (message.type === 'resume') return settle(reception.resume(message));
    if (message.type === 'look') return reception.look(message, messages.untilAnswered(close));
    const redeemed = messages.untilAnswered((check: TokenCheck<TokenHolder>) => {
      if (isOpen) settle(reception.join(check));
    });
    reception.redeem(message, redeemed);
  };
  const receive = (text: string) => {
    if (!isOpen) return;
    const read = readMessage(text);
    if ('problem' in read) {
      const error = errorOf('bad_message', read.problem);
      return joined ? link.send(error) : close(error);
    }
    const { message } = read;
    if (message.type === 'ping') return link.send({ type: 'pong' });
    if (isFirst(message)) return enter(message);
    if (!joined) return close(errorOf('not_joined'));
    const problem = reception.command(joined, message);
    if (problem) link.send({ ...errorOf(problem), about: message.type });
  };
  const messages = new MessageOrder(receive, (error) => {
    if (!link.failed) throw error;
    link.failed(error);
  });
  return {
    message: (text) => {
      if (!isOpen) return;
      if (!allowance.take() || !messages.take(text)) close(errorOf('too_many_messages'));
    },
    closed: (isGone) => {
      isOpen = false;
      if (joined) reception.linkDown(joined, isGone);
    },
  };
}

export const errorOf = (code: string, message?: string): ServerMessages['error'] => ({
  type: 'error',
  code,
  ...(message ? { message } : {}),
});
