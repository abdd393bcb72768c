/** Unknown SIP sender with its own address, neither registered nor configured at the service. */
import { createSocket, type Socket } from 'node:dgram';
import { type Watch, watch } from './watch.ts';

export interface Asked {
  method?: string;
  uri?: string;
  from?: string;
  headers?: readonly string[];
  body?: string;
}

export const sdpAt = (address: string): string =>
  ['v=0', `o=- 1 1 IN IP4 ${address}`, 's=-', `c=IN IP4 ${address}`, 't=0 0', 'm=audio 16000 RTP/AVP 0', ''].join(
    '\r\n',
  );

let count = 0;

/** Unknown SIP client that sends any request, matches final responses by Call-ID, and acknowledges rejections. */
export class Stranger {
  readonly #socket: Socket;
  readonly #address: string;
  /** Host and port. */
  readonly #service: string;
  readonly #finals = new Map<string, string>();
  readonly #news: Watch = watch();

  static async at(address: string, service: string): Promise<Stranger> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, address, resolve));
    return new Stranger(socket, address, service);
  }

  private constructor(socket: Socket, address: string, service: string) {
    this.#socket = socket;
    this.#address = address;
    this.#service = service;
    socket.on('message', (bytes) => {
      const text = bytes.toString();
      const status = Number(/^SIP\/2\.0 (\d+)/.exec(text)?.[1]);
      if (!(status >= 200)) return;
      this.#finals.set(/^Call-ID: (\S+)/m.exec(text)![1]!, text);
      if (/^CSeq: \d+ INVITE/m.test(text)) this.#acknowledge(text);
      this.#news.look();
    });
  }

  get answers(): string[] {
    return [...this.#finals.values()];
  }

  /** A user of the service. */
  uriOf(user: string): string {
    return `sip:${user}@${this.#service}`;
  }

  send({ method = 'INVITE', uri = this.uriOf('1000'), from = 'stranger', headers = [], body = '' }: Asked): string {
    const id = `${this.#address}-${++count}`;
    const place = `${this.#address}:${this.#socket.address().port}`;
    const lines = [
      `${method} ${uri} SIP/2.0`,
      `Via: SIP/2.0/UDP ${place};branch=z9hG4bK${id};rport`,
      `From: <sip:${from}@${this.#host}>;tag=${count}`,
      `To: <${method === 'REGISTER' ? this.uriOf(from) : uri}>`,
      `Call-ID: ${id}`,
      `CSeq: 1 ${method}`,
      'Max-Forwards: 70',
      `Contact: <sip:${from}@${place}>`,
      ...headers,
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${body.length}`,
    ];
    this.#out(`${lines.join('\r\n')}\r\n\r\n${body}`);
    return id;
  }

  async ask(asked: Asked): Promise<string> {
    const id = this.send(asked);
    await this.#news.until(
      () => this.#finals.has(id),
      () => `no answer to ${JSON.stringify(asked)}`,
      5_000,
    );
    return this.#finals.get(id)!;
  }

  async status(asked: Asked): Promise<number> {
    return Number((await this.ask(asked)).slice(8, 11));
  }

  close(): void {
    this.#socket.close();
  }

  #acknowledge(text: string): void {
    const kept = (name: string) => new RegExp(`^${name}: .*$`, 'm').exec(text)![0].trim();
    const lines = ['Via', 'From', 'To', 'Call-ID'].map(kept);
    const ack = [`ACK ${this.uriOf('1000')} SIP/2.0`, ...lines, 'CSeq: 1 ACK', 'Max-Forwards: 70', 'Content-Length: 0'];
    this.#out(`${ack.join('\r\n')}\r\n\r\n`);
  }

  get #host(): string {
    return this.#service.split(':')[0]!;
  }

  #out(text: string): void {
    this.#socket.send(text, Number(this.#service.split(':')[1]), this.#host);
  }
}
