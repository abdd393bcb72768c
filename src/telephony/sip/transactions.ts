/**
 * Transactions: a request and its responses, made reliable (RFC 3261 §17): the client's side, and all there are.
 * Above: the user agent and the call legs; below: the wire; beside: `transaction.ts` and `server-transaction.ts`.
 * Invariants: a client's user hears of exactly one of a final response, a time-out, or a broken transport (2xx to INVITE
 * may come several times, from several forks); a server transaction sends what its user says and absorbs repetitions.
 */
import { createHmac } from 'node:crypto';
import { sentBy } from './headers.ts';
import { headerOf, type OutgoingRequest, type SipRequest, type SipResponse, writeRequest } from './message.ts';
import { ServerTransaction } from './server-transaction.ts';
import { inputOf, SipTransaction, type TransactionEnvironment } from './transaction.ts';
import { INVITE_CLIENT, NON_INVITE_CLIENT, type TransactionAction } from './transaction-tables.ts';
import type { Peer } from './transport.ts';

/** §8.1.1.7: branches that start so are unique. */
const MAGIC_COOKIE = 'z9hG4bK';

export interface TransactionContext extends TransactionEnvironment {
  server: ServerHandler;
}

export interface ServerHandler {
  /** Whether a request that is new is looked at; when not, nothing is kept of it and nobody answers. */
  admits(request: SipRequest, source: Peer): boolean;
  request(transaction: ServerTransaction): void;
  /** An ACK that belongs to a 2xx, hence to a dialog. */
  ack(request: SipRequest, source: Peer): void;
}

export interface ClientUser {
  response(response: SipResponse): void;
  failed(why: 'timeout' | 'transport'): void;
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

  constructor(
    context: TransactionEnvironment,
    all: Map<string, ClientTransaction>,
    request: OutgoingRequest,
    peer: Peer,
    user: ClientUser,
    branch: string,
  ) {
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

  /** Asks to give up an INVITE: at once when a provisional response has come, else as soon as one comes (§9.1). */
  cancel(): void {
    this.#cancelling = true;
    this.#sendCancel();
  }

  /** Sends no more of its own accord; an answer that comes nevertheless is dealt with. */
  abandon(): void {
    this.stopTimer('A');
    this.stopTimer('E');
    if (this.request.method === 'INVITE') this.cancel();
  }

  #sendCancel(): void {
    if (this.#cancelSent || this.state !== 'proceeding') return;
    this.#cancelSent = true;
    const { uri, routes, from, to, callId, cseq } = this.request;
    const cancel: OutgoingRequest = { method: 'CANCEL', uri, routes, from, to, callId, cseq, headers: [] };
    new ClientTransaction(this.context, this.#all, cancel, this.peer, IGNORED, this.branch);
    this.alsoAfter('cancelled');
  }

  protected override act(act: TransactionAction, message?: SipResponse): void {
    if (act === 'up' && message) this.#user.response(message);
    else if (act === 'resend') this.#send(this.#bytes);
    else if (act === 'ack' && message) this.#acknowledge(message);
    else if (act === 'tellTimeout') this.#user.failed('timeout');
    else if (act === 'tellBroken') this.#user.failed('transport');
  }

  protected override gone(): void {
    this.#all.delete(clientKey(this.branch, this.request.method));
  }

  /** §17.1.1.3: same branch, same Route, the To of the response. */
  #acknowledge(response: SipResponse): void {
    const { uri, routes, from, callId, cseq } = this.request;
    const to = headerOf(response, 'to') ?? this.request.to;
    const ack: OutgoingRequest = { method: 'ACK', uri, routes, from, to, callId, cseq, headers: [] };
    this.#send(writeRequest(ack, this.context.transport.via(this.peer, this.branch)));
  }

  #send(bytes: Buffer): void {
    this.context.transport.send(bytes, this.peer, () => this.accept('broken'));
  }
}

const IGNORED: ClientUser = { response() {}, failed() {} };

/** Server transactions live for half a minute, and hold their requests: room for some three thousand calls a second. */
const SERVER_LIMIT = 200_000;
const SERVER_LIMIT_BYTES = 256 * 2 ** 20;
/** What a transaction takes beside its request: itself, its timers, its response. */
const OVERHEAD_BYTES = 1000;

function bytesOf({ headers, body }: SipRequest): number {
  let bytes = OVERHEAD_BYTES + body.buffer.byteLength;
  for (const name in headers) for (const line of headers[name]!) bytes += line.length;
  return bytes;
}

const clientKey = (branch: string, method: string): string => `${branch}|${method}`;

/** §17.2.3; for peers without the cookie, what RFC 2543 compared. An ACK belongs to its INVITE. */
function serverKey(request: SipRequest, method: string): string {
  const branch = request.via.params['branch'] ?? '';
  if (branch.startsWith(MAGIC_COOKIE) && branch.length > MAGIC_COOKIE.length) {
    // Beyond §17.2.3, the Call-ID: clients that use a branch again for another call are no repetitions of themselves.
    return `${branch}|${sentBy(request.via)}|${method}|${request.callId}`;
  }
  const tag = request.from.params['tag'] ?? '';
  return `2543|${request.uri.text}|${tag}|${request.callId}|${request.cseq.number}|${headerOf(request, 'via')}|${method}`;
}

/** §8.2.2.2: the same request that came over several paths. */
const mergeKey = (request: SipRequest): string =>
  `${request.callId}|${request.from.params['tag'] ?? ''}|${request.cseq.number}`;

export class Transactions {
  readonly #context: TransactionContext;
  readonly #clients = new Map<string, ClientTransaction>();
  readonly #servers = new Map<string, ServerTransaction>();
  readonly #merged = new Map<string, ServerTransaction>();
  #serverBytes = 0;
  /** Made with the first use. */
  #tagKey: string | undefined;

  constructor(context: TransactionContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#clients.size + this.#servers.size;
  }

  request(request: OutgoingRequest, peer: Peer, user: ClientUser): ClientTransaction {
    const branch = MAGIC_COOKIE + this.#context.token();
    return new ClientTransaction(this.#context, this.#clients, request, peer, user, branch);
  }

  /** How many bytes a request has on its way there. */
  sizeOf(request: OutgoingRequest, peer: Peer): number {
    const branch = MAGIC_COOKIE + this.#context.token();
    return writeRequest(request, this.#context.transport.via(peer, branch)).length;
  }

  /** A request outside transactions: the ACK to a 2xx. */
  sendAck(request: OutgoingRequest, peer: Peer, failed?: () => void): void {
    const via = this.#context.transport.via(peer, MAGIC_COOKIE + this.#context.token());
    this.#context.transport.send(writeRequest(request, via), peer, failed);
  }

  receiveResponse(response: SipResponse): void {
    // §8.1.3.3: more than one Via is not meant for us.
    if ((response.headers['via']?.length ?? 0) > 1) return;
    this.#clients.get(clientKey(response.via.params['branch'] ?? '', response.cseq.method))?.receive(response);
  }

  receiveRequest(request: SipRequest, source: Peer): void {
    if (request.method === 'ACK') {
      const invite = this.#servers.get(serverKey(request, 'INVITE'));
      if (invite) invite.accept('ack', request);
      else this.#context.server.ack(request, source);
      return;
    }
    const key = serverKey(request, request.method);
    const known = this.#servers.get(key);
    if (known) {
      known.accept('again');
      return;
    }
    if (!this.#context.server.admits(request, source)) return;
    // Whoever floods us is not owed an answer; repetitions come when there is room again.
    const bytes = bytesOf(request);
    if (this.#servers.size >= SERVER_LIMIT || this.#serverBytes + bytes > SERVER_LIMIT_BYTES) return;
    const initialInvite = request.method === 'INVITE' && request.to.params['tag'] === undefined;
    const merge = initialInvite ? mergeKey(request) : undefined;
    const transaction = new ServerTransaction(this.#context, request, source, {
      ack: (ack, from) => this.#context.server.ack(ack, from),
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
    this.#context.server.request(transaction);
  }

  /** The INVITE that a CANCEL means (§9.2). */
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
