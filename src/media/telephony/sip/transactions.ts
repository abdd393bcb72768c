/**
 * Transactions, which make a request and its responses reliable (RFC 3261 §17): the client side, and the set of all
 * transactions. The user agent and the call legs use them; they use the transport layer, `transaction.ts` and
 * `server-transaction.ts`.
 * A client's user receives exactly one of a final response, a timeout, or a transport error (2xx to INVITE may arrive
 * several times, from several forks); a server transaction sends its user's responses and absorbs retransmissions.
 */
import { createHmac } from 'node:crypto';
import { sentBy } from './headers.ts';
import {
  type HeaderLine,
  headerOf,
  type OutgoingRequest,
  type SipRequest,
  type SipResponse,
  writeRequest,
} from './message.ts';
import { extractDescription } from './message-body.ts';
import type { SdpHostNames } from './sdp-host-names.ts';
import { ServerTransaction } from './server-transaction.ts';
import { inputOf, SipTransaction, type TransactionEnvironment } from './transaction.ts';
import { INVITE_CLIENT, NON_INVITE_CLIENT, type TransactionAction } from './transaction-tables.ts';
import type { Peer } from './transport.ts';

/** §8.1.1.7: branches with this prefix are unique. */
const MAGIC_COOKIE = 'z9hG4bK';

export interface TransactionContext extends TransactionEnvironment {
  /** Looks up host names in session descriptions; absent: they are not resolved. */
  hostNames?: SdpHostNames;
}

export interface ServerHandler {
  /** True if a new request is processed; otherwise no state is kept and no response is sent. */
  admits(request: SipRequest, source: Peer): boolean;
  request(transaction: ServerTransaction): void;
  /** ACK to a 2xx, which belongs to a dialog. */
  ack(request: SipRequest, source: Peer): void;
}

export interface ClientUser {
  response(response: SipResponse): void;
  failed(why: 'timeout' | 'transport'): void;
}

interface ClientTransactionOptions {
  /** All client transactions by `clientKey`: it adds and removes itself. */
  all: Map<string, ClientTransaction>;
  request: OutgoingRequest;
  peer: Peer;
  user: ClientUser;
  branch: string;
}

export class ClientTransaction extends SipTransaction {
  readonly request: OutgoingRequest;
  readonly branch: string;
  readonly peer: Peer;
  readonly #user: ClientUser;
  readonly #bytes: Buffer;
  readonly #all: Map<string, ClientTransaction>;
  #cancelling = false;
  #cancelSent = false;
  #cancelHeaders: readonly HeaderLine[] = [];

  constructor(context: TransactionEnvironment, { all, request, peer, user, branch }: ClientTransactionOptions) {
    super(context, request.method === 'INVITE' ? INVITE_CLIENT : NON_INVITE_CLIENT, peer.transport !== 'udp');
    this.request = request;
    this.branch = branch;
    this.peer = peer;
    this.#user = user;
    this.#all = all;
    this.#bytes = writeRequest(request, context.transport.via(peer, branch));
    all.set(clientKey(branch, request.method), this);
    this.begin();
    this.#send(this.#bytes);
  }

  receive(response: SipResponse): void {
    this.accept(inputOf(response.status), response);
    if (this.#cancelling) this.#sendCancel();
  }

  /** Cancels an INVITE: at once after a provisional response, else when one arrives (§9.1). */
  cancel(headers: readonly HeaderLine[] = []): void {
    this.#cancelling = true;
    this.#cancelHeaders = headers;
    this.#sendCancel();
  }

  /** Stops retransmissions; a response is still processed. */
  abandon(): void {
    this.stopTimer('A');
    this.stopTimer('E');
    if (this.request.method === 'INVITE') this.cancel();
  }

  #sendCancel(): void {
    if (this.#cancelSent || this.state !== 'proceeding') return;
    this.#cancelSent = true;
    const request = this.#companion('CANCEL', this.request.to, this.#cancelHeaders);
    const { peer, branch } = this;
    new ClientTransaction(this.context, { all: this.#all, request, peer, user: IGNORED, branch });
    this.alsoAfter('cancelled');
  }

  protected override act(act: TransactionAction, message?: SipResponse): void {
    if (act === 'informTU' && message) this.#user.response(message);
    else if (act === 'resend') this.#send(this.#bytes);
    else if (act === 'ack' && message) this.#acknowledge(message);
    else if (act === 'informTimeout') this.#user.failed('timeout');
    else if (act === 'informTransportError') this.#user.failed('transport');
  }

  protected override gone(): void {
    this.#all.delete(clientKey(this.branch, this.request.method));
  }

  /** §17.1.1.3: the same branch and Route, and the To of the response. */
  #acknowledge(response: SipResponse): void {
    const ack = this.#companion('ACK', headerOf(response, 'to') ?? this.request.to);
    this.#send(writeRequest(ack, this.context.transport.via(this.peer, this.branch)));
  }

  #companion(method: 'ACK' | 'CANCEL', to: string, headers: readonly HeaderLine[] = []): OutgoingRequest {
    const { uri, routes, from, callId, cseq } = this.request;
    return { method, uri, routes, from, to, callId, cseq, headers };
  }

  #send(bytes: Buffer): void {
    this.context.transport.send(bytes, this.peer, this.request.callId, () => this.accept('transportError'));
  }
}

const IGNORED: ClientUser = { response() {}, failed() {} };
const NO_SERVER: ServerHandler = { admits: () => false, request() {}, ack() {} };

/** Server transactions live for half a minute and hold their requests: enough for three thousand calls per second. */
const SERVER_LIMIT = 200_000;
const SERVER_LIMIT_BYTES = 256 * 2 ** 20;
/** Memory of a transaction in addition to its request: object, timers, response. */
const OVERHEAD_BYTES = 1000;

function bytesOf({ headers, body }: SipRequest): number {
  let bytes = OVERHEAD_BYTES + body.buffer.byteLength;
  for (const name in headers) for (const line of headers[name] ?? []) bytes += line.length;
  return bytes;
}

const clientKey = (branch: string, method: string): string => `${branch}|${method}`;

/** §17.2.3; for peers without the cookie, the fields of RFC 2543. An ACK belongs to its INVITE. */
function serverKey(request: SipRequest, method: string): string {
  const branch = request.via.params['branch'] ?? '';
  if (branch.startsWith(MAGIC_COOKIE) && branch.length > MAGIC_COOKIE.length) {
    // In addition to §17.2.3, the Call-ID: a client that reuses a branch for another call does not retransmit.
    return `${branch}|${sentBy(request.via)}|${method}|${request.callId}`;
  }
  const tag = request.from.params['tag'] ?? '';
  return `2543|${request.uri.text}|${tag}|${request.callId}|${request.cseq.number}|${headerOf(request, 'via')}|${method}`;
}

/** §8.2.2.2: the same request over several paths. */
const mergeKey = (request: SipRequest): string =>
  `${request.callId}|${request.from.params['tag'] ?? ''}|${request.cseq.number}`;

export class Transactions {
  readonly #context: TransactionContext;
  readonly #clients = new Map<string, ClientTransaction>();
  readonly #servers = new Map<string, ServerTransaction>();
  readonly #merged = new Map<string, ServerTransaction>();
  #serverBytes = 0;
  #server: ServerHandler = NO_SERVER;
  /** Created on first use. */
  #tagKey: string | undefined;

  constructor(context: TransactionContext) {
    this.#context = context;
  }

  /** Sets the handler of requests; until then, none is admitted. */
  serve(server: ServerHandler): void {
    this.#server = server;
  }

  get size(): number {
    return this.#clients.size + this.#servers.size;
  }

  request(request: OutgoingRequest, peer: Peer, user: ClientUser): ClientTransaction {
    const branch = MAGIC_COOKIE + this.#context.token();
    return new ClientTransaction(this.#context, { all: this.#clients, request, peer, user, branch });
  }

  /** Size of a request on the wire. */
  sizeOf(request: OutgoingRequest, peer: Peer): number {
    const branch = MAGIC_COOKIE + this.#context.token();
    return writeRequest(request, this.#context.transport.via(peer, branch)).length;
  }

  /** Sends the ACK to a 2xx, which is outside transactions. */
  sendAck(request: OutgoingRequest, peer: Peer, failed?: () => void): void {
    const via = this.#context.transport.via(peer, MAGIC_COOKIE + this.#context.token());
    this.#context.transport.send(writeRequest(request, via), peer, request.callId, failed);
  }

  receiveResponse(response: SipResponse): void {
    // §8.1.3.3: a response with more than one Via is not for this engine.
    if ((response.headers['via']?.length ?? 0) > 1) return;
    extractDescription(response);
    this.#resolved(response, () =>
      this.#clients.get(clientKey(response.via.params['branch'] ?? '', response.cseq.method))?.receive(response),
    );
  }

  receiveRequest(request: SipRequest, source: Peer): void {
    if (request.method === 'ACK') {
      const invite = this.#servers.get(serverKey(request, 'INVITE'));
      if (invite) invite.accept('ack', request);
      else this.#resolved(request, () => this.#server.ack(request, source));
      return;
    }
    const key = serverKey(request, request.method);
    const known = this.#servers.get(key);
    if (known) {
      known.accept('retransmission');
      return;
    }
    if (!this.#server.admits(request, source)) return;
    // A flood gets no answer; retransmissions are processed when there is capacity again.
    const bytes = bytesOf(request);
    if (this.#servers.size >= SERVER_LIMIT || this.#serverBytes + bytes > SERVER_LIMIT_BYTES) return;
    const initialInvite = request.method === 'INVITE' && request.to.params['tag'] === undefined;
    const merge = initialInvite ? mergeKey(request) : undefined;
    const transaction = new ServerTransaction(this.#context, request, {
      source,
      ack: (ack, from) => this.#server.ack(ack, from),
      tagOf: (refused) => this.#tagOf(refused),
      gone: () => {
        if (this.#servers.delete(key)) this.#serverBytes -= bytes;
        if (merge !== undefined && this.#merged.get(merge) === transaction) this.#merged.delete(merge);
      },
    });
    this.#servers.set(key, transaction);
    this.#serverBytes += bytes;
    if (merge !== undefined) {
      if (this.#merged.has(merge)) {
        transaction.respondStatelessly(482);
        return;
      }
      this.#merged.set(merge, transaction);
    }
    // Until host names are resolved.
    transaction.onCancel = () => transaction.respond(487);
    this.#resolved(request, () => {
      if (transaction.answered) return;
      transaction.onCancel = () => {};
      this.#server.request(transaction);
    });
  }

  #resolved(message: { body: Buffer }, then: () => void): void {
    const { hostNames } = this.#context;
    if (hostNames) hostNames.resolve(message, then);
    else then();
  }

  /** Returns the INVITE that a CANCEL refers to (§9.2). */
  inviteOf(cancel: SipRequest): ServerTransaction | undefined {
    return this.#servers.get(serverKey(cancel, 'INVITE'));
  }

  #tagOf(request: SipRequest): string {
    this.#tagKey ??= this.#context.token() + this.#context.token();
    return createHmac('sha256', this.#tagKey)
      .update(serverKey(request, request.method))
      .digest('base64url')
      .slice(0, 12);
  }

  stop(): void {
    for (const transaction of [...this.#clients.values(), ...this.#servers.values()]) transaction.end();
  }
}
