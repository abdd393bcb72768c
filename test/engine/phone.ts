/**
 * A telephone on real sockets that does only what a test writes: it may send offers that no engine sends, lie and go
 * silent. It has its own SIP parser, so that two parsers have to agree.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import {
  boundSocket,
  type PhoneAddress,
  type PhoneTransport,
  tcpPhoneTransport,
  udpPhoneTransport,
} from './phone-transport.ts';

export type { PhoneAddress } from './phone-transport.ts';

export interface Message {
  text: string;
  /** Absent in requests. */
  status: number | undefined;
  /** Method of the request, or of the request that is answered. */
  method: string;
  body: string;
  header(name: string): string;
}

interface Dialog {
  callId: string;
  localTag: string;
  remoteTag: string;
  remoteUri: string;
}

const WAIT_MS = 20_000;
/** Local tag in calls that arrive at a phone. */
const ANSWER_TAG = 'phone';
export const SDP_TYPE = 'Content-Type: application/sdp';
const CALLER = '+33612345678';

export class Phone {
  readonly host: string;
  readonly rtp: RtpSocket;
  readonly line: PhoneTransport;
  readonly #engine: PhoneAddress;
  readonly #inbox: Message[] = [];
  readonly #watchers = new Set<() => void>();
  #count = 0;

  static async open(
    host: string,
    engine: PhoneAddress,
    transport: PhoneTransport['transport'] = 'udp',
  ): Promise<Phone> {
    const line = await (transport === 'udp' ? udpPhoneTransport(host) : tcpPhoneTransport(host));
    return new Phone(host, engine, line, await RtpSocket.open(host));
  }

  private constructor(host: string, engine: PhoneAddress, line: PhoneTransport, rtp: RtpSocket) {
    this.host = host;
    this.#engine = engine;
    this.line = line;
    this.rtp = rtp;
    line.receive = (text) => {
      this.#inbox.push(readMessage(text));
      for (const watcher of [...this.#watchers]) watcher();
    };
  }

  get place(): string {
    return `${this.host}:${this.line.port}`;
  }

  /** A description of this phone's audio. */
  sdp({ events = true, port = this.rtp.port, payloadType = 0, direction = 'sendrecv', version = 1 } = {}): string {
    const lines = ['v=0', `o=- 1 ${version} IN IP4 ${this.host}`, 's=-', `c=IN IP4 ${this.host}`, 't=0 0'];
    lines.push(`m=audio ${port} RTP/AVP ${payloadType}${events ? ' 101' : ''}`, `a=${direction}`);
    if (events) lines.push('a=rtpmap:101 telephone-event/8000', 'a=fmtp:101 0-15');
    return `${lines.join('\r\n')}\r\n`;
  }

  /** Sends a request outside any dialog; the same text with the next CSeq is another request. */
  request(
    method: string,
    { to = '+33199001122', from = CALLER, callId = this.#word('call'), headers = [] as string[], body = '' } = {},
  ): string {
    const uri = method === 'REGISTER' ? `sip:${this.#engine.host}` : this.#uriOf(to);
    return this.#compose(method, uri, {
      from: `<sip:${from}@${this.#engine.host}>;tag=${callId}`,
      to: `<${this.#uriOf(method === 'REGISTER' ? from : to)}>`,
      callId,
      headers: [`Contact: <${this.#contactOf(from)}>`, ...headers],
      body,
    });
  }

  inDialog(method: string, dialog: Dialog, options: { headers?: string[]; body?: string; cseq?: number } = {}): string {
    return this.#compose(method, dialog.remoteUri, {
      from: `<sip:${CALLER}@${this.#engine.host}>;tag=${dialog.localTag}`,
      to: `<${this.#uriOf('+33199001122')}>;tag=${dialog.remoteTag}`,
      callId: dialog.callId,
      headers: options.headers ?? [],
      body: options.body ?? '',
      cseq: options.cseq,
    });
  }

  send(text: string): void {
    this.line.send(text, this.#engine);
  }

  answer(request: Message, status: number, { headers = [] as string[], body = '' } = {}): void {
    const via = [...request.text.matchAll(/^Via: .*$/gim)].map(([line]) => line);
    const tagged = request.header('to').includes(';tag=') ? '' : `;tag=${ANSWER_TAG}`;
    this.send(
      withBody(
        [
          `SIP/2.0 ${status} Whatever`,
          ...via,
          `From: ${request.header('from')}`,
          `To: ${request.header('to')}${tagged}`,
          `Call-ID: ${request.header('call-id')}`,
          `CSeq: ${request.header('cseq')}`,
          `Contact: <${this.#contactOf('phone')}>`,
          ...headers,
        ],
        body,
      ),
    );
  }

  /** Removes and returns the first matching message of the inbox. */
  next(what: string, withinMs = WAIT_MS): Promise<Message> {
    const fits = ({ status, method }: Message) => (status === undefined ? method : `${status} ${method}`) === what;
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const at = this.#inbox.findIndex(fits);
        if (at < 0) return;
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve(this.#inbox.splice(at, 1)[0]!);
      };
      const timer = setTimeout(() => {
        this.#watchers.delete(look);
        const seen = this.#inbox.map(({ status, method }) => `${status ?? ''} ${method}`.trim()).join(', ');
        reject(new Error(`waited in vain for ${what}; there came ${seen || 'nothing'}`));
      }, withinMs);
      this.#watchers.add(look);
      look();
    });
  }

  /** Calls, and acknowledges the answer. */
  async call(options: Parameters<Phone['request']>[1] = {}): Promise<{ dialog: Dialog; media: PhoneAddress }> {
    this.send(this.request('INVITE', { headers: [SDP_TYPE], body: this.sdp(), ...options }));
    const accepted = await this.next('200 INVITE');
    this.acknowledge(accepted);
    return { dialog: dialogOf(accepted), media: mediaOf(accepted.body) };
  }

  acknowledge(accepted: Message, body = ''): void {
    const headers = body === '' ? [] : [SDP_TYPE];
    const cseq = Number.parseInt(accepted.header('cseq'), 10);
    this.send(this.inDialog('ACK', dialogOf(accepted), { cseq, headers, body }));
  }

  /** Repeats the request with the answer to a challenge. */
  authorized(method: string, challenge: Message, options: Parameters<Phone['request']>[1], password: string): string {
    const parameter = (name: string) =>
      new RegExp(`${name}="?([^",]+)`).exec(md5Challenge(challenge))?.[1] ?? `no ${name}`;
    const [realm, nonce] = [parameter('realm'), parameter('nonce')];
    const username = options?.from ?? CALLER;
    const uri = method === 'REGISTER' ? `sip:${this.#engine.host}` : this.#uriOf(options?.to ?? '+33199001122');
    const proof = md5(
      [md5(`${username}:${realm}:${password}`), nonce, '00000001', 'c', 'auth', md5(`${method}:${uri}`)].join(':'),
    );
    const words = `username="${username}", realm="${realm}", nonce="${nonce}", uri="${uri}", response="${proof}"`;
    const line = `Authorization: Digest ${words}, algorithm=MD5, qop=auth, nc=00000001, cnonce="c"`;
    return this.request(method, { ...options, headers: [...(options?.headers ?? []), line] });
  }

  close(): void {
    this.line.close();
    this.rtp.close();
  }

  #uriOf(user: string): string {
    return `sip:${user}@${this.#engine.host}:${this.#engine.port}`;
  }

  #contactOf(user: string): string {
    return `sip:${user}@${this.place}${this.line.transport === 'tcp' ? ';transport=tcp' : ''}`;
  }

  #word(kind: string): string {
    return `${kind}-${randomUUID()}`;
  }

  #compose(
    method: string,
    uri: string,
    parts: { from: string; to: string; callId: string; headers: string[]; body: string; cseq?: number | undefined },
  ): string {
    return withBody(
      [
        `${method} ${uri} SIP/2.0`,
        `Via: SIP/2.0/${this.line.transport.toUpperCase()} ${this.place};branch=z9hG4bK${this.#word('branch')};rport`,
        `From: ${parts.from}`,
        `To: ${parts.to}`,
        `Call-ID: ${parts.callId}`,
        `CSeq: ${parts.cseq ?? ++this.#count} ${method}`,
        'Max-Forwards: 70',
        ...parts.headers,
      ],
      parts.body,
    );
  }
}

/** RTP, packet by packet; also used to imitate attackers. */
export class RtpSocket {
  /** PCMU payload bytes and telephone events that arrived. */
  readonly received: { payloadType: number; bytes: Buffer }[] = [];
  readonly #socket: Socket;
  readonly #ssrc = Math.floor(Math.random() * 2 ** 32);
  #sequence = 1;
  #timestamp = 160;

  static async open(host: string): Promise<RtpSocket> {
    return new RtpSocket(await boundSocket(host));
  }

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (bytes) => this.received.push({ payloadType: bytes[1]! & 0x7f, bytes: bytes.subarray(12) }));
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Resolves once this many packets have arrived. */
  async heard(packets: number): Promise<void> {
    while (this.received.length < packets) await once(this.#socket, 'message', { signal: AbortSignal.timeout(8_000) });
  }

  /** Sends one packet immediately. */
  send(to: PhoneAddress, payload: Buffer, payloadType = 0, timestamp = this.#timestamp): void {
    const header = Buffer.alloc(12);
    header[0] = 0x80;
    header[1] = payloadType;
    header.writeUInt16BE(this.#sequence++ & 0xffff, 2);
    header.writeUInt32BE(timestamp, 4);
    header.writeUInt32BE(this.#ssrc, 8);
    if (payloadType === 0) this.#timestamp += payload.length;
    this.#socket.send(Buffer.concat([header, payload]), to.port, to.host);
  }

  /** Sends a key, pressed and released within three packets. */
  pressKey(to: PhoneAddress, event: number): void {
    const timestamp = this.#timestamp;
    this.#timestamp += 800;
    for (const [volume, samples] of [
      [10, 160],
      [10, 480],
      [0x8a, 800],
    ] as const) {
      this.send(to, Buffer.from([event, volume, samples >> 8, samples & 0xff]), 101, timestamp);
    }
  }

  close(): void {
    this.#socket.close();
  }
}

export const dialogOf = (accepted: Message): Dialog => ({
  callId: accepted.header('call-id'),
  localTag: tagOf(accepted.header('from')),
  remoteTag: tagOf(accepted.header('to')),
  remoteUri: contactOf(accepted),
});

/** The side of the callee, after its answer. */
export const dialogOfInvited = (invite: Message): Dialog => ({
  callId: invite.header('call-id'),
  localTag: ANSWER_TAG,
  remoteTag: tagOf(invite.header('from')),
  remoteUri: contactOf(invite),
});

export const mediaOf = (sdp: string): PhoneAddress => ({
  host: /^c=IN IP4 (\S+)/m.exec(sdp)![1]!,
  port: Number(/^m=audio (\d+)/m.exec(sdp)![1]),
});

const contactOf = (message: Message): string => /<([^>]+)>/.exec(message.header('contact'))![1]!;
const tagOf = (value: string): string => /;tag=([^;>]+)/.exec(value)?.[1] ?? '';
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const md5Challenge = (challenge: Message): string =>
  [...challenge.text.matchAll(/^WWW-Authenticate: (.*)$/gim)]
    .map(([, value]) => value!)
    .find((v) => v.includes('MD5'))!;

function withBody(lines: string[], body: string): string {
  return `${lines.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function readMessage(text: string): Message {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const header = (name: string): string =>
    lines
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim() ?? '';
  const status = /^SIP\/2\.0 (\d{3})/.exec(first)?.[1];
  return {
    text,
    status: status === undefined ? undefined : Number(status),
    method: status === undefined ? first.split(' ')[0]! : header('cseq').split(' ')[1]!,
    body: text.slice(end + 4),
    header,
  };
}
