/**
 * Phones in browsers: issues tokens that allow one call each, and accepts calls with such a token. A browser calls in
 * like a phone, and only to the destination in its token; the flow decides the rest.
 *
 * Invariants
 *  - A token allows one call, of its own project.
 *  - The number of concurrent browser calls of a project is limited.
 *  - A connection carries one call, and its end is the end of that call.
 *  - No part of a token or of an SDP is logged.
 */
import { callerIdProblem } from '../../../base/core/address-syntax.ts';
import { defined } from '../../../base/core/json.ts';
import { MessageOrder } from '../../../base/core/message-order.ts';
import type { ReadToken } from '../../../base/core/sealed-tokens.ts';
import type { SingleUseTokens, TokenCheck, TokenRefusal } from '../../../base/core/single-use-tokens.ts';
import { TokenBucket } from '../../../base/core/token-bucket.ts';
import type { BrowserFarEnd, BrowserLegs, BrowserNotice } from '../../../media/telephony/browser-legs.ts';
import type { IncomingLeg } from '../../../media/telephony/engine.ts';
import { CallError } from '../call-error.ts';
import type { CallParts } from '../call-parts.ts';
import { checkInput, resolveFlow } from '../flow-files/flow-input.ts';
import { startInboundCall } from '../inbound/receive-call.ts';
import type { ProvisionedNumber } from '../numbers/numbers.ts';
import {
  readWebphoneMessage,
  type WebphoneClientMessage,
  type WebphoneErrorCode,
  type WebphoneIceServer,
  type WebphoneServerMessage,
} from './webphone-messages.ts';
import { WEBPHONE_TOKEN_MS, type WebphoneHolder } from './webphone-tokens.ts';

export interface WebphoneParts {
  calls: CallParts;
  tokens: SingleUseTokens<WebphoneHolder>;
  /** Undefined if the engine does not support browser legs. */
  legs: BrowserLegs | undefined;
  /** Maximum concurrent browser calls of each project. */
  maxCalls: number;
  /** STUN and TURN servers, with credentials for one caller. */
  iceServers(token: { tokenId: string; expiresMs: number }): readonly WebphoneIceServer[];
}

export interface WebphoneOrder extends Omit<WebphoneHolder, 'from'> {
  from?: string;
}

/** The connection to a page. */
export interface WebphoneLink {
  readonly address?: string;
  send(message: WebphoneServerMessage): void;
  /** Closes after a last message. */
  close(): void;
  /** Reports an internal error while a page waits for a response, and closes the connection. */
  failed(error: unknown): void;
}

/** A call needs only a few messages. */
const MESSAGES_PER_SECOND = 2;
const MESSAGE_BURST = 10;
const UNKNOWN_CALLER = 'webphone';
const NO_LEGS = 'the engine of this service takes no calls from browsers';

const ERRORS: Readonly<Record<Exclude<WebphoneErrorCode, 'bad_message' | 'unavailable'>, string>> = {
  token_invalid: 'the token is not one of this service',
  token_expired: 'the token is too old: it is good for two minutes',
  token_used: 'the token was used before: each makes one call',
  token_unchecked: 'whether the token was used before cannot be checked now: try again in a few seconds',
  too_many_calls: 'too many browsers of this project are calling',
  too_many_messages: 'too many messages',
  already_called: 'the call of this connection has begun already',
};

/** Error code by the reason of a refusal; other reasons are not revealed. */
const TOKEN_ERRORS: Readonly<Partial<Record<TokenRefusal, 'token_expired' | 'token_used' | 'token_unchecked'>>> = {
  expired: 'token_expired',
  used: 'token_used',
  unchecked: 'token_unchecked',
};

type Redeemed = ReadToken<WebphoneHolder>;
type Holder = Redeemed['holder'];
type Refused = { code: WebphoneErrorCode; message: string };

export class Webphones {
  readonly #parts: WebphoneParts;
  readonly #callsOf = new Map<string, number>();

  constructor(parts: WebphoneParts) {
    this.#parts = parts;
  }

  /** Browser calls of all projects. */
  get count(): number {
    return [...this.#callsOf.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Throws a `CallError` if such a call is impossible. */
  issue(projectId: string, order: WebphoneOrder): { token: string; expiresMs: number } {
    const { calls, tokens } = this.#parts;
    if (this.#unusable !== undefined) throw new CallError('no_service', `browsers cannot call here: ${this.#unusable}`);
    const { from = UNKNOWN_CALLER, flow, input = {} } = order;
    if (callerIdProblem(from) !== undefined) {
      throw new CallError('address_invalid', 'from must be a number, or a name of plain letters');
    }
    if (flow !== undefined) checkInput(resolveFlow(flow, calls), input);
    else this.#numberOf(projectId, order.number ?? '');
    return { token: tokens.issue(projectId, { ...order, from }), expiresMs: calls.clock.now() + WEBPHONE_TOKEN_MS };
  }

  /** A shared number needs no PIN: the token's project selects the entry. */
  #numberOf(projectId: string, number: string): ProvisionedNumber {
    const { numbers } = this.#parts.calls;
    const found = [numbers.find(number), ...numbers.shared(number)].find((each) => each?.projectId === projectId);
    if (found) return found;
    throw new CallError('number_not_found', `${number.slice(0, 64)} is not a number of this project`);
  }

  /** True if this is a valid token of a phone, used or not. Does not use it up. */
  vouches(token: string): boolean {
    return !('refused' in this.#parts.tokens.read(token));
  }

  /** Handles a new connection of a page. */
  connect(link: WebphoneLink): { message(text: string): void; closed(): void } {
    const { calls, tokens } = this.#parts;
    const { clock } = calls;
    const allowance = new TokenBucket(clock, MESSAGES_PER_SECOND, MESSAGE_BURST);
    let farEnd: BrowserFarEnd | undefined;
    let isOpen = true;
    const close = (last: WebphoneServerMessage): void => {
      if (!isOpen) return;
      isOpen = false;
      link.send(last);
      link.close();
    };
    const fail = (code: WebphoneErrorCode, message: string): void => {
      close({ type: 'error', code, message });
      farEnd?.hangUp();
    };
    // The page may disconnect while its token is being checked.
    const admit = (then: (found: Redeemed) => void) =>
      messages.untilAnswered((check: TokenCheck<WebphoneHolder>) => {
        if (!isOpen) return;
        const found = this.#admitted(check, link.address);
        if ('code' in found) fail(found.code, found.message);
        else then(found);
      });
    const call = ({ token, sdp }: { token: string; sdp: string }) => {
      // Checked before the token is used up.
      if (this.#unusable !== undefined) return fail('unavailable', this.#unusable);
      const redeemed = admit(({ holder }) => {
        const page = { send: (said: WebphoneServerMessage) => isOpen && link.send(said), close };
        const called = this.#call(holder, sdp, page, link.address);
        if ('code' in called) fail(called.code, called.message);
        else farEnd = called;
      });
      tokens.redeem(token, redeemed);
    };
    const prepare = (found: Redeemed): void => {
      const prepared = this.#prepare(found);
      if ('code' in prepared) fail(prepared.code, prepared.message);
      else link.send(prepared);
    };
    const obey = (message: WebphoneClientMessage): void => {
      if (message.type === 'ping') link.send({ type: 'pong' });
      else if (message.type === 'hangup') farEnd?.hangUp();
      else if (farEnd) fail('already_called', ERRORS.already_called);
      else if (message.type === 'prepare') tokens.look(message.token, admit(prepare));
      else call(message);
    };
    const receive = (text: string): void => {
      if (!isOpen) return;
      const read = readWebphoneMessage(text);
      if ('message' in read) obey(read.message);
      else if (farEnd) link.send({ type: 'error', code: 'bad_message', message: `the message ${read.problem}` });
      else fail('bad_message', `the message ${read.problem}`);
    };
    const messages = new MessageOrder(receive, (error) => link.failed(error));
    return {
      message(text) {
        if (!isOpen) return;
        if (!allowance.take() || !messages.take(text)) fail('too_many_messages', ERRORS.too_many_messages);
      },
      closed() {
        isOpen = false;
        farEnd?.hangUp();
      },
    };
  }

  /** Response to `prepare`: the call that the token allows. */
  #prepare(found: Redeemed): WebphoneServerMessage | Refused {
    const { holder } = found;
    const number = this.#destinationOf(holder);
    if ('code' in number) return number;
    const ice_servers = this.#parts.iceServers(found);
    return { type: 'prepared', from: holder.from, to: number.number, ice_servers };
  }

  #admitted(check: TokenCheck<WebphoneHolder>, remote: string | undefined): Redeemed | Refused {
    if ('holder' in check) return check;
    const { refused: why } = check;
    this.#parts.calls.log.info('webphone.refused', { why, remote });
    const code = TOKEN_ERRORS[why] ?? 'token_invalid';
    return { code, message: ERRORS[code] };
  }

  /** Reason why no browser can call. Undefined if browsers can. */
  get #unusable(): string | undefined {
    const { legs } = this.#parts;
    return legs ? legs.unusable : NO_LEGS;
  }

  #call(
    holder: Holder,
    sdp: string,
    page: { send(message: WebphoneServerMessage): void; close(last: WebphoneServerMessage): void },
    remote: string | undefined,
  ): BrowserFarEnd | Refused {
    const { calls, legs, maxCalls } = this.#parts;
    if (!legs) return { code: 'unavailable', message: NO_LEGS };
    const { projectId, from } = holder;
    if ((this.#callsOf.get(projectId) ?? 0) >= maxCalls) {
      calls.log.warn('webphone.refused', { why: 'too many calls', projectId, remote });
      return { code: 'too_many_calls', message: ERRORS.too_many_calls };
    }
    const number = this.#destinationOf(holder);
    if ('code' in number) return number;
    const legId = calls.ids.next('leg');
    this.#count(projectId, 1);
    const farEnd = legs.open({ legId, sdp }, (notice) => {
      if (notice.type === 'ended') this.#count(projectId, -1);
      const said = messageOf(notice);
      if (said.type === 'ended') page.close(said);
      else page.send(said);
    });
    const leg = defined<IncomingLeg>({ legId, from, to: number.number, remote });
    const callId = startInboundCall(leg, number, calls);
    if (callId !== undefined) page.send({ type: 'calling', voice_id: callId, from, to: number.number });
    return farEnd;
  }

  /** The destination may have been removed since the token was issued. */
  #destinationOf({ projectId, number, flow, input }: Holder): ProvisionedNumber | Refused {
    try {
      if (flow === undefined) return this.#numberOf(projectId, number ?? '');
      const { name } = resolveFlow(flow, this.#parts.calls);
      return defined<ProvisionedNumber>({ number: name, projectId, flow: name, input });
    } catch (error) {
      if (error instanceof CallError) return { code: 'unavailable', message: error.message };
      throw error;
    }
  }

  #count(projectId: string, change: 1 | -1): void {
    const count = (this.#callsOf.get(projectId) ?? 0) + change;
    if (count > 0) this.#callsOf.set(projectId, count);
    else this.#callsOf.delete(projectId);
  }
}

function messageOf(notice: BrowserNotice): WebphoneServerMessage {
  if (notice.type !== 'ended') return notice;
  const { cause, by, why } = notice;
  return defined({ type: 'ended', cause: cause.code, reason: cause.reason, by, why });
}
