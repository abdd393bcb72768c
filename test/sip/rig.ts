/**
 * An engine on a network in memory, in virtual time, and far ends that send exactly the text of a test. Messages to far
 * ends are parsed.
 */
import { expect } from 'vitest';
import { hostText } from '../../src/base/core/host-text.ts';
import { countingIds, seededRandom } from '../../src/base/core/ids.ts';
import type { LegEvent } from '../../src/base/core/leg.ts';
import type { EngineHost, IncomingLeg } from '../../src/media/telephony/engine.ts';
import { digestResponse } from '../../src/media/telephony/sip/auth.ts';
import { createSipEngine } from '../../src/media/telephony/sip/engine.ts';
import type { SipEngine, SipEngineOptions, SipEnginePorts } from '../../src/media/telephony/sip/engine-options.ts';
import { headerOf, listOf, type SipRequest, type SipResponse } from '../../src/media/telephony/sip/message.ts';
import { parseMessage } from '../../src/media/telephony/sip/parser.ts';
import type { ServiceRecord } from '../../src/media/telephony/sip/service-records.ts';
import type { Peer, TransportName } from '../../src/media/telephony/sip/transport.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { FakeMedia } from './fake-media.ts';
import { MemoryNetwork } from './memory-network.ts';

export const ENGINE_HOST = '192.0.2.1';
export const ENGINE_PORT = 5060;
export const PHONE_HOST = '192.0.2.50';

export const SDP = [
  'v=0',
  `o=phone 1 1 IN IP4 ${PHONE_HOST}`,
  's=-',
  `c=IN IP4 ${PHONE_HOST}`,
  't=0 0',
  'm=audio 4000 RTP/AVP 8 0 101',
  'a=rtpmap:101 telephone-event/8000',
  '',
].join('\r\n');

/** The description with other lines at its end; `a=sendonly` holds. */
export const sdpWith = (...lines: string[]): string => `${SDP}${lines.join('\r\n')}\r\n`;

type Message = { request: SipRequest; response?: undefined } | { request?: undefined; response: SipResponse };

/** A far end: one address, an inbox in order of arrival. */
export class FarEnd {
  readonly place: Peer;
  readonly inbox: Message[] = [];
  /** Status lines without the version, of answers to malformed requests too. */
  readonly statuses: string[] = [];
  readonly #net: MemoryNetwork;
  readonly #engine: Peer;

  constructor(net: MemoryNetwork, place: Peer) {
    this.#net = net;
    this.place = place;
    this.#engine = { transport: place.transport, host: ENGINE_HOST, port: ENGINE_PORT };
    net.bind(place, (bytes) => {
      const parsed = parseMessage(bytes);
      const status = /^SIP\/2\.0 (\d{3} .*)\r\n/.exec(bytes.toString('latin1'))?.[1];
      if (status !== undefined) this.statuses.push(status);
      if (parsed.kind === 'request') this.inbox.push({ request: parsed.request });
      else if (parsed.kind === 'response') this.inbox.push({ response: parsed.response });
    });
  }

  sendBytes(bytes: Buffer): void {
    this.#net.deliver(bytes, this.place, this.#engine);
  }

  /** Header lines, then the body; Content-Length is added. */
  send(lines: readonly string[], body = ''): void {
    const length = Buffer.byteLength(body);
    this.sendBytes(Buffer.from(`${lines.join('\r\n')}\r\nContent-Length: ${length}\r\n\r\n${body}`));
  }

  /** Messages so far, for comparison: `INVITE`, `200 INVITE`. */
  get log(): string[] {
    return this.inbox.map(({ request, response }) =>
      request ? request.method : `${response!.status} ${response!.cseq.method}`,
    );
  }

  clear(): void {
    this.inbox.length = 0;
    this.statuses.length = 0;
  }

  /** The latest request with this method. */
  request(method: string): SipRequest {
    const found = this.inbox.findLast((message) => message.request?.method === method)?.request;
    if (!found) throw new Error(`no ${method} in ${this.log.join(', ')}`);
    return found;
  }

  /** The latest response with this status. */
  response(status: number, method?: string): SipResponse {
    const fits = ({ response }: Message) =>
      response?.status === status && (method === undefined || response.cseq.method === method);
    const found = this.inbox.findLast(fits)?.response;
    if (!found) throw new Error(`no ${status} in ${this.log.join(', ')}`);
    return found;
  }

  get #contact(): string {
    const { transport, host, port } = this.place;
    return `<sip:far@${hostText(host)}:${port}${transport === 'tls' ? ';transport=tls' : ''}>`;
  }

  /** Answers a request of the engine. */
  reply(
    request: SipRequest,
    status: number,
    { tag = 'far', headers = [] as string[], body = '', contact = this.#contact } = {},
  ): void {
    const to = headerOf(request, 'to')!;
    const type = body === '' ? [] : ['Content-Type: application/sdp'];
    this.send(
      [
        `SIP/2.0 ${status} Whatever`,
        ...listOf(request, 'via').map((via) => `Via: ${via}`),
        `From: ${headerOf(request, 'from')}`,
        `To: ${to.includes(';tag=') || status === 100 ? to : `${to};tag=${tag}`}`,
        `Call-ID: ${request.callId}`,
        `CSeq: ${request.cseq.number} ${request.cseq.method}`,
        `Contact: ${contact}`,
        ...type,
        ...headers,
      ],
      body,
    );
  }
}

export interface CallWords {
  headers?: readonly string[];
  body?: string;
  to?: string;
  from?: string;
  callId?: string;
  branch?: string;
  contact?: string;
}

let branches = 0;

/** A call into the engine, message by message. */
export class CallIn {
  readonly far: FarEnd;
  readonly callId: string;
  readonly #from: string;
  #to: string;
  readonly #contact: string;
  #cseq = 0;
  /** Branch of the pending INVITE. */
  inviteBranch = '';
  inviteCseq = 0;
  readonly uri: string;

  constructor(far: FarEnd, words: CallWords = {}) {
    this.far = far;
    this.callId = words.callId ?? `call-${++branches}`;
    this.uri = `sip:${words.to ?? '100'}@${ENGINE_HOST}`;
    this.#from = words.from ?? `<sip:alice@${hostText(far.place.host)}>;tag=near-${this.callId}`;
    this.#to = `<${this.uri}>`;
    this.#contact = words.contact ?? `<sip:alice@${hostText(far.place.host)}:${far.place.port}>`;
  }

  /** Any request of this call; in a dialog once `learn` was called. */
  request(
    method: string,
    {
      headers = [],
      body = '',
      branch,
      cseq,
    }: { headers?: readonly string[]; body?: string; branch?: string; cseq?: number } = {},
  ): string {
    const number = cseq ?? ++this.#cseq;
    const used = branch ?? `z9hG4bK-${this.callId}-${++branches}`;
    const { transport, host, port } = this.far.place;
    const type =
      body === '' || headers.some((line) => line.startsWith('Content-Type')) ? [] : ['Content-Type: application/sdp'];
    this.far.send(
      [
        `${method} ${this.uri} SIP/2.0`,
        `Via: SIP/2.0/${transport.toUpperCase()} ${hostText(host)}:${port};branch=${used};rport`,
        ...(headers.some((line) => line.startsWith('Max-Forwards')) ? [] : ['Max-Forwards: 70']),
        `From: ${this.#from}`,
        `To: ${this.#to}`,
        `Call-ID: ${this.callId}`,
        `CSeq: ${number} ${method}`,
        `Contact: ${this.#contact}`,
        ...type,
        ...headers,
      ],
      body,
    );
    return used;
  }

  invite({ headers = [], body = SDP }: { headers?: readonly string[]; body?: string } = {}): void {
    this.inviteCseq = this.#cseq + 1;
    this.inviteBranch = this.request('INVITE', { headers, body });
  }

  /** Takes the To tag of a response for all that follows. */
  learn(response: SipResponse): void {
    this.#to = headerOf(response, 'to')!;
  }

  ack(body = ''): void {
    this.learn(this.far.response(200, 'INVITE'));
    this.request('ACK', { cseq: this.inviteCseq, body });
  }

  /** The ACK to a refusal: same branch. */
  ackRefusal(status: number): void {
    this.learn(this.far.response(status, 'INVITE'));
    this.request('ACK', { cseq: this.inviteCseq, branch: this.inviteBranch });
  }

  cancel(headers: readonly string[] = []): void {
    this.request('CANCEL', { cseq: this.inviteCseq, branch: this.inviteBranch, headers });
  }
}

export class Rig {
  readonly clock = new VirtualClock();
  readonly net = new MemoryNetwork();
  readonly media = new FakeMedia();
  readonly incoming: IncomingLeg[] = [];
  readonly events: (LegEvent & { legId: string })[] = [];
  readonly logged: { level: string; message: string; fields: Record<string, unknown> }[] = [];
  readonly engine: SipEngine;
  /** Addresses of host names. */
  readonly names: Record<string, readonly string[]> = { 'carrier.example.com': ['192.0.2.77'] };
  readonly services: Record<string, readonly ServiceRecord[]> = {};
  /** Project of each call and user, if there are several projects. */
  projectOf: EngineHost['projectOf'];
  /** Reaction of the host to each incoming call. */
  onIncoming: (leg: IncomingLeg) => void = () => {};

  constructor(
    options: SipEngineOptions = {},
    { hasTls = false, ...ports }: Pick<SipEnginePorts, 'routeTo' | 'shared'> & { hasTls?: boolean } = {},
  ) {
    this.media.host = ENGINE_HOST;
    this.engine = createSipEngine(
      { host: ENGINE_HOST, ...options },
      {
        media: this.media,
        clock: this.clock,
        ids: countingIds(),
        random: seededRandom(1),
        log: (level, message, fields) => this.logged.push({ level, message, fields }),
        transports: [
          this.net.transport('udp', ENGINE_HOST, ENGINE_PORT),
          this.net.transport('tcp', ENGINE_HOST, ENGINE_PORT),
          ...(hasTls ? [this.net.transport('tls', ENGINE_HOST, ENGINE_PORT)] : []),
        ],
        lookup: {
          addresses: async (host) => this.names[host] ?? [],
          services: async (name) => this.services[name] ?? [],
        },
        ...ports,
      },
    );
  }

  async start(): Promise<this> {
    const { projectOf } = this;
    await this.engine.start({
      ...(projectOf ? { projectOf: (of) => this.projectOf?.(of) } : {}),
      incoming: (leg) => {
        this.incoming.push(leg);
        this.onIncoming(leg);
      },
      event: (legId, event) => {
        this.events.push({ legId, ...event });
      },
    });
    return this;
  }

  far(port = 5062, host = PHONE_HOST, transport: TransportName = 'udp'): FarEnd {
    return new FarEnd(this.net, { transport, host, port });
  }

  async settle(): Promise<void> {
    await this.clock.settle();
    await this.clock.settle();
  }

  /** Advances the clock, then delivers the answers that need no time. */
  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.settle();
  }

  types(legId = 'leg-1'): string[] {
    return this.events.filter((event) => event.legId === legId).map((event) => event.type);
  }

  event<Type extends LegEvent['type']>(type: Type, legId = 'leg-1'): Extract<LegEvent, { type: Type }> {
    const found = this.events.find((event) => event.legId === legId && event.type === type);
    if (!found) throw new Error(`no ${type} in ${this.types(legId).join(', ')}`);
    return found as unknown as Extract<LegEvent, { type: Type }>;
  }

  /** A call from `far` that was answered and acknowledged. */
  async connected(
    far: FarEnd,
    words: CallWords & { invite?: { headers?: readonly string[]; body?: string } } = {},
  ): Promise<CallIn> {
    const call = new CallIn(far, words);
    call.invite(words.invite);
    await this.settle();
    this.engine.send(this.incoming.at(-1)!.legId, { type: 'answer' });
    await this.settle();
    call.ack();
    await this.settle();
    return call;
  }

  /** The answer to the challenge that this far end got. */
  proof(far: FarEnd, { name, password }: { name: string; password: string }, method: string, uri: string): string {
    const challenge = headerOf(far.response(401), 'www-authenticate')!;
    const realm = /realm="([^"]+)"/.exec(challenge)?.[1] ?? '';
    const nonce = /nonce="([^"]+)"/.exec(challenge)?.[1] ?? '';
    const said = { algorithm: 'MD5', username: name, password, realm, nonce, method, uri } as const;
    const response = digestResponse({ ...said, qop: { nc: '00000001', cnonce: 'c' } });
    const proof = `username="${name}", realm="${realm}", nonce="${nonce}", uri="${uri}", response="${response}"`;
    return `Authorization: Digest ${proof}, qop=auth, nc=00000001, cnonce="c"`;
  }

  /** Registers a phone of a configured user. */
  async register(far: FarEnd, { name, password }: { name: string; password: string }, contact: string): Promise<void> {
    const register = new CallIn(far, { from: `<sip:${name}@x>;tag=r`, to: name, contact });
    register.request('REGISTER');
    await this.settle();
    register.request('REGISTER', { headers: [this.proof(far, { name, password }, 'REGISTER', register.uri)] });
    await this.settle();
    far.response(200, 'REGISTER');
  }

  /** Stops, and proves that nothing is left behind. */
  async finish(): Promise<void> {
    const stopped = this.engine.stop();
    // Far ends that never answer a BYE are not waited for longer.
    await this.clock.advance(2_000);
    await stopped;
    const ended = this.events.filter((event) => event.type === 'ended').map((event) => event.legId);
    expect(new Set(ended).size).toBe(ended.length);
    expect(this.logged.filter(({ level }) => level === 'error')).toEqual([]);
    expect(this.engine.counts()).toMatchObject({ legs: 0, sessions: 0, transactions: 0 });
    expect(this.clock.pendingTimers).toBe(0);
  }
}
