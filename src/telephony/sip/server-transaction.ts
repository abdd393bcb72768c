/**
 * The server's side of a transaction: sends what its user says, and absorbs repetitions of the request.
 * Invariant: a sender who may be forged gets one datagram for a refusal, and nothing is kept of it (RFC 3261 §8.2.7): the
 * same request gets the same answer again, under the same tag.
 */
import { type ResponseExtras, type SipRequest, writeResponse } from './message.ts';
import { inputOf, SipTransaction, type TransactionEnvironment } from './transaction.ts';
import { INVITE_SERVER, NON_INVITE_SERVER, type TransactionAction } from './transaction-tables.ts';
import type { Peer } from './transport.ts';

export interface ServerTransactionUser {
  /** An ACK that belongs to a 2xx. */
  ack(request: SipRequest, source: Peer): void;
  /** A tag that nobody guesses, the same for the same request. */
  tagOf(request: SipRequest): string;
  gone(): void;
}

export class ServerTransaction extends SipTransaction {
  readonly request: SipRequest;
  readonly source: Peer;
  /** The tag of our responses, where the request has none in To. */
  toTag: string;
  /** Set by the INVITE's user: a CANCEL came in time. */
  onCancel: (cancel: SipRequest) => void = () => {};
  readonly #replyTo: Peer;
  readonly #user: ServerTransactionUser;
  #last: Buffer | undefined;

  constructor(context: TransactionEnvironment, request: SipRequest, source: Peer, user: ServerTransactionUser) {
    super(context, request.method === 'INVITE' ? INVITE_SERVER : NON_INVITE_SERVER, source.transport !== 'udp');
    this.request = request;
    this.source = source;
    this.toTag = request.to.params['tag'] ?? context.token();
    this.#replyTo = context.transport.replyPeer(request, source);
    this.#user = user;
    this.begin();
  }

  /** Whether a final response was given. */
  get answered(): boolean {
    return this.state !== 'proceeding' && this.state !== 'trying';
  }

  respond(status: number, extras: ResponseExtras = {}): void {
    if (!this.takes(inputOf(status))) return;
    this.#last = writeResponse(this.request, status, status === 100 ? extras : { ...extras, toTag: this.toTag });
    this.stopTimer('trying');
    this.accept(inputOf(status));
  }

  /**
   * A final answer to whoever may have forged the address that it goes to: not sent again by itself, and kept for
   * repetitions of the request.
   */
  respondOnce(status: number, extras: ResponseExtras = {}): void {
    this.respond(status, extras);
    if (!this.reliable) this.stopTimer('G');
  }

  /** The same, and nothing is kept: a repetition of the request is as a new one. */
  respondStatelessly(status: number, extras: ResponseExtras = {}): void {
    if (this.reliable || this.#last || this.answered) {
      this.respondOnce(status, extras);
      return;
    }
    if (this.request.to.params['tag'] === undefined) this.toTag = this.#user.tagOf(this.request);
    this.#last = writeResponse(this.request, status, { ...extras, toTag: this.toTag });
    this.repeat();
    this.end();
  }

  /** The last response once more: the user repeats 2xx and reliable provisional ones. */
  repeat(): void {
    if (this.#last && this.state !== 'terminated') this.context.transport.send(this.#last, this.#replyTo);
  }

  protected override act(act: TransactionAction, message?: SipRequest): void {
    if (act === 'send' || act === 'resend') this.repeat();
    else if (act === 'send100') this.respond(100);
    else if (act === 'up' && message) this.#user.ack(message, this.source);
  }

  protected override gone(): void {
    this.#user.gone();
  }
}
