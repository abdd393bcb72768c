/**
 * Server side of a transaction: sends the responses of its user, and absorbs retransmissions of the request.
 * A sender whose address may be forged gets one datagram for a refusal, and no state is kept (RFC 3261 §8.2.7): the
 * same request gets the same response again, with the same tag.
 */
import { type ResponseExtras, type SipRequest, writeResponse } from './message.ts';
import { inputOf, SipTransaction, type TransactionEnvironment } from './transaction.ts';
import { INVITE_SERVER, NON_INVITE_SERVER, type TransactionAction } from './transaction-tables.ts';
import type { Peer } from './transport.ts';

export interface ServerTransactionUser {
  /** An ACK to a 2xx. */
  ack(request: SipRequest, source: Peer): void;
  /** Returns an unguessable tag, the same for the same request. */
  tagOf(request: SipRequest): string;
  gone(): void;
}

export interface ServerTransactionOptions extends ServerTransactionUser {
  /** Sender of the request. */
  source: Peer;
}

export class ServerTransaction extends SipTransaction {
  readonly request: SipRequest;
  readonly source: Peer;
  /** Tag of the responses, if the request has none in To. */
  toTag: string;
  /** Set by the user of an INVITE: called for a CANCEL in time. */
  onCancel: (cancel: SipRequest) => void = () => {};
  readonly #replyTo: Peer;
  readonly #user: ServerTransactionUser;
  #last: Buffer | undefined;

  constructor(context: TransactionEnvironment, request: SipRequest, options: ServerTransactionOptions) {
    const { source } = options;
    super(context, request.method === 'INVITE' ? INVITE_SERVER : NON_INVITE_SERVER, source.transport !== 'udp');
    this.request = request;
    this.source = source;
    this.toTag = request.to.params['tag'] ?? context.token();
    this.#replyTo = context.transport.replyPeer(request, source);
    this.#user = options;
    this.begin();
  }

  /** True if a final response was sent. */
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
   * Sends a final response to a sender whose address may be forged: it is not retransmitted on a timer, but kept for
   * retransmissions of the request.
   */
  respondOnce(status: number, extras: ResponseExtras = {}): void {
    this.respond(status, extras);
    if (!this.reliable) this.stopTimer('G');
  }

  /** The same without state: a retransmission of the request is handled like a new one. */
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

  /** Sends the last response again: the user retransmits 2xx and reliable provisional responses. */
  repeat(): void {
    if (!this.#last || this.state === 'terminated') return;
    this.context.transport.send(this.#last, this.#replyTo, this.request.callId);
  }

  protected override act(act: TransactionAction, message?: SipRequest): void {
    if (act === 'send' || act === 'resend') this.repeat();
    else if (act === 'send100') this.respond(100);
    else if (act === 'informTU' && message) this.#user.ack(message, this.source);
  }

  protected override gone(): void {
    this.#user.gone();
  }
}
