/**
 * Simulated REST interface of Asterisk: channels, their variables and playbacks in memory, and a real WebSocket for
 * events. A test decides how and when a request is answered.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { isObject, type Json, type JsonObject, parseJson } from '../../../src/base/core/json.ts';
import type { AriHttp } from '../../../src/media/telephony/asterisk/ari-client.ts';

export interface FakeReply {
  status: number;
  body?: Json;
}

type Handler = (path: string, body: JsonObject) => FakeReply | undefined | Promise<FakeReply | undefined>;

const DONE: FakeReply = { status: 204 };
const NOT_FOUND: FakeReply = { status: 404, body: { message: 'not found' } };

export class FakeAri implements AriHttp {
  readonly channels = new Map<string, { state: string; variables: Map<string, string> }>();
  readonly playbacks = new Set<string>();
  readonly applications: { name: string; channel_ids: string[] }[] = [];
  /** `METHOD path`, in the order in which they came. */
  readonly requests: string[] = [];
  /** By `METHOD` and the beginning of the path; the last one that fits decides, unless it answers nothing. */
  readonly handlers: [method: string, prefix: string, handle: Handler][] = [];
  readonly #server: WebSocketServer;
  #connections = 0;

  static async open(): Promise<FakeAri> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    return new FakeAri(server);
  }

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on('connection', () => {
      this.#connections += 1;
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/ari`;
  }

  /** Number of connections so far. */
  get connections(): number {
    return this.#connections;
  }

  on(method: string, prefix: string, handle: Handler): void {
    this.handlers.unshift([method, prefix, handle]);
  }

  async send({ method, url, body }: Parameters<AriHttp['send']>[0]): Promise<{ status?: number; body?: Buffer }> {
    const path = decodeURIComponent(url.pathname.replace(/^\/ari\//, ''));
    this.requests.push(`${method} ${path}${url.search}`);
    const given = body === undefined ? {} : parseJson(body);
    const members = isObject(given) ? given : {};
    for (const [of, prefix, handle] of this.handlers) {
      const reply = of === method && path.startsWith(prefix) ? await handle(path, members) : undefined;
      if (reply) return encoded(reply);
    }
    return encoded(this.#answer(method, path, members, url.searchParams));
  }

  say(event: JsonObject): void {
    this.sayText(JSON.stringify(event));
  }

  sayText(text: string | Buffer): void {
    for (const socket of this.#server.clients) socket.send(text);
  }

  /** Creates an incoming call. */
  call(channelId: string, more: JsonObject = {}): void {
    this.channels.set(channelId, { state: 'Ring', variables: new Map() });
    const caller = { name: 'Ann', number: '+33612345678' };
    this.say({ type: 'StasisStart', args: [], channel: { id: channelId, name: 'PJSIP/a', caller, ...more } });
  }

  destroy(channelId: string, cause = 16): void {
    this.channels.delete(channelId);
    this.say({ type: 'ChannelDestroyed', cause, channel: { id: channelId } });
  }

  /** Resolves when all that was said has been heard. */
  async heard(): Promise<void> {
    for (const socket of [...this.#server.clients, ...this.#server.clients]) await roundTrip(socket);
  }

  dropSockets(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  async close(): Promise<void> {
    this.dropSockets();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #answer(method: string, path: string, body: JsonObject, query: URLSearchParams): FakeReply {
    if (path === 'applications') return { status: 200, body: this.applications };
    if (path.endsWith('/subscription')) return this.#subscribe(query.get('eventSource') ?? '');
    if (path === 'channels/create') return this.#create(String(body['channelId']));
    const [kind, id = '', what, name = ''] = path.split('/');
    if (kind === 'playbacks') {
      if (method === 'GET') return this.playbacks.has(id) ? { status: 200, body: { id } } : NOT_FOUND;
      if (!this.playbacks.delete(id)) return NOT_FOUND;
      this.say({ type: 'PlaybackFinished', playback: { id, state: 'done' } });
      return DONE;
    }
    const channel = kind === 'channels' ? this.channels.get(id) : undefined;
    if (!channel) return kind === 'channels' ? NOT_FOUND : DONE;
    if (what === 'variable') return variable(channel.variables, method, body, query);
    if (what === 'play') {
      this.playbacks.add(name);
      return { status: 201, body: { id: name } };
    }
    if (what === 'answer') channel.state = 'Up';
    if (what === undefined && method === 'GET') return { status: 200, body: { id, state: channel.state } };
    if (what === undefined && method === 'DELETE') queueMicrotask(() => this.destroy(id));
    return DONE;
  }

  #subscribe(source: string): FakeReply {
    const isThere = this.channels.has(source.replace(/^channel:/, ''));
    return { status: isThere ? 200 : 422, body: {} };
  }

  #create(channelId: string): FakeReply {
    if (this.channels.has(channelId)) return { status: 409 };
    this.channels.set(channelId, { state: 'Down', variables: new Map() });
    return { status: 200, body: { id: channelId } };
  }
}

function variable(all: Map<string, string>, method: string, body: JsonObject, query: URLSearchParams): FakeReply {
  if (method === 'POST') {
    all.set(String(body['variable']), String(body['value']));
    return DONE;
  }
  const value = all.get(query.get('variable') ?? '');
  if (value === undefined) return { status: 404, body: { message: 'Provided variable was not found' } };
  return { status: 200, body: { value } };
}

const encoded = ({ status, body }: FakeReply): { status: number; body: Buffer } => ({
  ...{ status, body: Buffer.from(body === undefined ? '' : JSON.stringify(body)) },
});

async function roundTrip(socket: WebSocket): Promise<void> {
  const answered = once(socket, 'pong');
  socket.ping();
  await answered;
}
