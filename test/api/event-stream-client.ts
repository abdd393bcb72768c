/** Client of server-sent events, by default those of `GET /voice/v1/events`, that reads them from a socket. */
import { get, type IncomingMessage } from 'node:http';
import type { JsonObject } from '../../src/base/core/json.ts';
import { type ApiRig, SHOP } from './rig.ts';

export interface StreamedEvent {
  id: string;
  name: string;
  data: JsonObject;
}

export interface StreamOptions {
  as?: { id: string; key: string };
  query?: string;
  lastId?: string;
  path?: string;
  /** In place of the key of a project. */
  token?: string;
}

/** Turns of the event loop that a test waits for something to arrive. */
const MAX_TURNS = 20_000;

export class EventStream {
  readonly events: StreamedEvent[] = [];
  /** Id of the last event or heartbeat. */
  lastId = '';
  heartbeats = 0;
  isOver = false;
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly #response: IncomingMessage;
  #rest = '';

  static open(
    rig: ApiRig,
    { as = SHOP, query = '', lastId, path = '/voice/v1/events', token }: StreamOptions = {},
  ): Promise<EventStream> {
    const key = `Basic ${Buffer.from(`${as.id}:${as.key}`).toString('base64')}`;
    const authorization = token === undefined ? key : `Bearer ${token}`;
    const headers = { authorization, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
    return new Promise((resolve, reject) => {
      get(`${rig.base}${path}${query}`, { headers, agent: false }, (response) => {
        resolve(new EventStream(response));
      }).on('error', reject);
    });
  }

  private constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode!;
    this.headers = response.headers;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#take(text));
    response.on('error', () => undefined);
    response.on('close', () => {
      this.isOver = true;
    });
  }

  get names(): string[] {
    return this.events.map(({ name }) => name);
  }

  /** Takes nothing more from its socket. */
  stall(): void {
    this.#response.pause();
  }

  takeAgain(): void {
    this.#response.resume();
  }

  break(): void {
    this.#response.destroy();
  }

  /** Lets the event loop run until the condition holds. */
  async until(isSo: (stream: this) => boolean): Promise<void> {
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      if (isSo(this)) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error(`it did not come to that: ${JSON.stringify(this.events.slice(-5))}`);
  }

  /** Resolves with the next event of this name after those already received. */
  async next(name: string): Promise<StreamedEvent> {
    const seen = this.events.length;
    const found = (): StreamedEvent | undefined => this.events.slice(seen).find((event) => event.name === name);
    await this.until(() => found() !== undefined);
    return found()!;
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop()!;
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon), line.slice(colon + 1).trim()];
        }),
      );
      if (fields.has('')) this.heartbeats++;
      this.lastId = fields.get('id') ?? this.lastId;
      const [name, data] = [fields.get('event'), fields.get('data')];
      if (name !== undefined && data !== undefined) {
        this.events.push({ id: this.lastId, name, data: JSON.parse(data) as JsonObject });
      }
    }
  }
}
