/**
 * Transport layer of RFC 3261 §18. Adds `received` and `rport` on arrival (§18.2.1, RFC 3581), so that replies follow
 * the path of the request.
 * Errors that a packet causes in the layers above are caught here: they are counted, and logged once per source.
 */
import type { AbuseGuard } from './abuse-guard.ts';
import { parseVia } from './headers.ts';
import { headerOf, listOf, type SipRequest, type SipResponse, writeResponse } from './message.ts';
import { parseMessage } from './parser.ts';
import type { TransactionTransport } from './transaction.ts';
import { type Peer, peerText, type Transport, type TransportEvents, type TransportName } from './transport.ts';

export type SipLog = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields: Record<string, unknown>,
) => void;

export interface MessageHandler {
  receiveRequest(request: SipRequest, source: Peer): void;
  receiveResponse(response: SipResponse): void;
}

/** Receives every well-formed message, with its bytes on the network. */
export type MessageTap = (message: {
  direction: 'received' | 'sent';
  bytes: Buffer;
  peer: Peer;
  callId: string;
}) => void;

/** Decides which sources are accepted, and whose connections are kept. */
export type SourceFilter = Pick<TransportEvents, 'accepts' | 'knows' | 'expects'>;

export interface BoundAddresses {
  plain?: { host: string; port: number };
  tls?: { host: string; port: number };
}

/** Shorter packets are keepalives (RFC 5626 §3.5.1) or probes. */
const SHORTEST_MESSAGE_BYTES = 16;

const PORT_ATTEMPTS = 8;

export interface TransportLayerOptions {
  transports: readonly Transport[];
  guard: AbuseGuard;
  log: SipLog;
  gate: SourceFilter;
  tap?: MessageTap | undefined;
}

export class TransportLayer implements TransactionTransport {
  readonly #transports: ReadonlyMap<TransportName, Transport>;
  readonly #guard: AbuseGuard;
  readonly #log: SipLog;
  readonly #gate: SourceFilter;
  readonly #tap: MessageTap | undefined;
  #handler: MessageHandler | undefined;
  /** Returns the sent-by of Via. */
  #sentBy: (peer: Peer) => string = () => '';

  constructor({ transports, guard, log, gate, tap }: TransportLayerOptions) {
    this.#gate = gate;
    this.#tap = tap;
    this.#transports = new Map(transports.map((transport) => [transport.name, transport]));
    this.#guard = guard;
    this.#log = log;
  }

  /** Starts all transports, UDP and TCP on one port. Resolves with the bound addresses. */
  async listen(handler: MessageHandler, ports: { plain: number; tls: number }): Promise<BoundAddresses> {
    const events: TransportEvents = {
      ...this.#gate,
      packet: (bytes, from) => this.#packet(bytes, from),
      warn: (message, fields, from) => {
        if (from) this.#guard.malformed(from);
        if (!from || this.#guard.isFirstReport(from.host, message)) this.#log('warn', message, fields);
      },
    };
    for (let attempt = 1; ; attempt++) {
      const bound: BoundAddresses = {};
      try {
        for (const transport of this.#transports.values()) {
          const kind = transport.name === 'tls' ? 'tls' : 'plain';
          const address = await transport.listen(events, bound[kind]?.port ?? ports[kind]);
          bound[kind] ??= address;
        }
        if (!bound.plain && !bound.tls) throw new Error('no transport is configured');
        this.#handler = handler;
        return bound;
      } catch (error) {
        await this.close();
        // A port that is free for one transport may be in use for the other.
        if (ports.plain !== 0 || attempt === PORT_ATTEMPTS) throw error;
      }
    }
  }

  /** The name is known only when the sockets are bound. */
  setSentBy(nameFor: (peer: Peer) => string): void {
    this.#sentBy = nameFor;
  }

  async close(): Promise<void> {
    this.#handler = undefined;
    await Promise.all([...this.#transports.values()].map((transport) => transport.close()));
  }

  has(transport: TransportName): boolean {
    return this.#transports.has(transport);
  }

  via(peer: Peer, branch: string): string {
    return `SIP/2.0/${peer.transport.toUpperCase()} ${this.#sentBy(peer)};branch=${branch};rport`;
  }

  send(bytes: Buffer, to: Peer, callId: string, failed?: (reason: string) => void): void {
    this.#tap?.({ direction: 'sent', bytes, peer: to, callId });
    const transport = this.#transports.get(to.transport);
    if (transport) transport.send(bytes, to, failed);
    else queueMicrotask(() => failed?.(`no ${to.transport} transport`));
  }

  replyPeer(request: SipRequest, source: Peer): Peer {
    if (source.transport !== 'udp' || request.via.params['rport'] !== undefined) return source;
    return { transport: 'udp', host: source.host, port: request.via.port ?? 5060 };
  }

  #packet(bytes: Buffer, source: Peer): void {
    if (!this.#guard.admits(source)) return;
    try {
      this.#read(bytes, source);
    } catch (error) {
      this.#guard.counts.crashed++;
      if (this.#guard.isFirstReport(source.host, 'crash')) {
        const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.#log('error', 'sip.packet_crashed', { source: peerText(source), error: words });
      }
    }
  }

  #read(bytes: Buffer, source: Peer): void {
    if (bytes.length < SHORTEST_MESSAGE_BYTES) return;
    const parsed = parseMessage(bytes);
    // Responses are matched by unguessable branches.
    if (parsed.kind !== 'response' && !this.#gate.accepts(source.host)) {
      this.#guard.counts.dropped++;
      if (this.#guard.isFirstReport(source.host, 'not_accepted')) {
        this.#log('info', 'sip.not_accepted', { source: peerText(source) });
      }
      return;
    }
    if (parsed.kind === 'request') {
      this.#tap?.({ direction: 'received', bytes, peer: source, callId: parsed.request.callId });
      stampSource(parsed.request, source);
      this.#handler?.receiveRequest(parsed.request, source);
    } else if (parsed.kind === 'response') {
      this.#tap?.({ direction: 'received', bytes, peer: source, callId: parsed.response.callId });
      this.#handler?.receiveResponse(parsed.response);
    } else {
      const isAnswered = this.#guard.answersMalformed(source) || this.#gate.expects(source.host);
      this.#guard.malformed(source);
      if (this.#guard.isFirstReport(source.host, 'malformed')) {
        this.#log('warn', 'sip.malformed', { source: peerText(source), reason: parsed.reason });
      }
      if (
        isAnswered &&
        parsed.kind === 'malformed' &&
        parsed.method !== 'ACK' &&
        headerOf(parsed, 'via') !== undefined
      ) {
        const response = writeResponse(parsed, parsed.status, { reason: parsed.reason });
        this.send(response, source, headerOf(parsed, 'call-id') ?? '');
      }
    }
  }
}

/** Rewrites the topmost Via so that it has the source of the request. */
function stampSource(request: SipRequest, source: Peer): void {
  const { via } = request;
  const wantsPort = via.params['rport'] !== undefined;
  if (!wantsPort && via.host === source.host) return;
  const [top, ...others] = listOf(request, 'via');
  let stamped = top!;
  if (wantsPort) stamped = stamped.replace(/;\s*rport(\s*=\s*\d*)?(?=\s*(;|$))/i, `;rport=${source.port}`);
  stamped = stamped.replace(/;\s*received\s*=\s*[^;\s]+/gi, '');
  stamped += `;received=${source.host}`;
  request.headers['via'] = [stamped, ...others];
  const reread = parseVia(stamped);
  if (reread) request.via = reread;
}
