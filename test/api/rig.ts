/**
 * The whole service over real HTTP, on a simulated line in virtual time: a client, a webhook receiver, and far ends
 * with scripted behaviour.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveName } from '../../src/app/archive-name.ts';
import type { Telephony } from '../../src/app/telephony.ts';
import { type App, type AppParts, createApp } from '../../src/app.ts';
import type { Fault } from '../../src/base/core/fault.ts';
import { countingIds, type Ids, seededRandom } from '../../src/base/core/ids.ts';
import { defined, type JsonObject } from '../../src/base/core/json.ts';
import type { AudioItem } from '../../src/base/core/leg.ts';
import type { Log, LogFields } from '../../src/base/core/log.ts';
import { sourceOfPeer } from '../../src/base/core/source-key.ts';
import { readConfigText } from '../../src/config.ts';
import { SimulatedRoomEngine } from '../../src/media/rooms/simulated-engine.ts';
import type { Engine, EngineCapabilities } from '../../src/media/telephony/engine.ts';
import { SimulatedEngine } from '../../src/media/telephony/simulated/engine.ts';
import type { CalleePlan, FarEnd } from '../../src/media/telephony/simulated/far-end.ts';
import { silentAudio } from '../../src/proof/testkit/silent-audio.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import type { Store } from '../../src/service/store/store.ts';
import { createMemoryStore } from '../memory-store.ts';
import { undocumentedIn } from '../webhooks/documented-events.ts';
import { keptThread } from '../workbench/kept-threads.ts';
import { schemaViolation } from './response-schemas.ts';

export const SHOP = { id: 'shop', key: 'key-of-the-shop-0001' };
export const OTHER = { id: 'other', key: 'key-of-another-one-2' };
/** A language without a voice in the test service. */
export const UNSPOKEN = 'fr-FR';

let lives = 0;

/** A process that starts again over the same data makes other ids than the one before. */
function idsOfLife(): Ids {
  const ids = countingIds();
  const life = ++lives;
  return { next: (kind) => `${ids.next(kind)}.${life}` };
}

const PROJECTS = `
projects:
  - { app_id: ${SHOP.id}, app_key: ${SHOP.key} }
  - { app_id: ${OTHER.id}, app_key: ${OTHER.key} }
`;

export interface ApiRigOptions {
  /** Additional configuration as YAML. `HOOK` is replaced by the URL of the receiver, also in `projects`. */
  config?: string;
  /** Name → YAML. */
  flows?: Record<string, string>;
  /** More of `http`. */
  http?: string;
  /** In place of the two projects. */
  projects?: string;
  callee?: CalleePlan;
  store?: Store;
  /** Data directory of an earlier run of the service. */
  directory?: string;
  isQuarantined?: boolean;
  /** Clock of another node, so that both share the same time. */
  clock?: VirtualClock;
  /** Life id of the node. */
  epoch?: string;
  /** State that nodes share. */
  shared?: AppParts['shared'];
  /** On the clock of the rig. */
  storeOn?: (clock: VirtualClock) => Store;
  /** Capabilities that the engine lacks. */
  lacks?: readonly (keyof EngineCapabilities)[];
  /** Registered phones of users. */
  phonesOf?: Telephony['phonesOf'];
}

export interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
  body: JsonObject;
}

export interface DeliveredEvent {
  headers: Record<string, string>;
  body: JsonObject;
  /** Virtual. */
  atMs: number;
}

export class ApiRig {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly logLines: { level: string; message: string; fields: LogFields }[] = [];
  readonly received: DeliveredEvent[] = [];
  /** Events received that docs/webhooks.md does not describe. */
  readonly undocumented: string[] = [];
  readonly farEnds: FarEnd[] = [];
  /** Answer of the receiver to an event. */
  answerEvent: (told: DeliveredEvent) => { status: number; body?: string } = () => ({ status: 204 });
  callee: CalleePlan;
  /** Behaviour of callees by number; `callee` for other numbers. */
  readonly callees: Record<string, CalleePlan> = {};
  /** Destinations without a route. */
  readonly unreachable = new Set<string>();
  /** True if every request to the engine fails as an internal error. */
  isEngineBroken = false;
  /** Where recordings are kept, and all else. */
  directory = '';
  #archive = '';
  base = '';
  /** The configuration, which is in no file before `rewrite`. */
  configText = '';
  webhookUrl = '';
  app!: App;
  readonly roomEngine = new SimulatedRoomEngine();
  readonly #engine: SimulatedEngine;
  readonly #lacks: readonly (keyof EngineCapabilities)[];
  readonly #ids = idsOfLife();
  readonly #silence = silentAudio();
  /** Number of checks for pending events; events of other nodes are not awaited. */
  readonly #looks: number;
  #receiver!: Server;
  #running = false;

  static async open(options: ApiRigOptions = {}): Promise<ApiRig> {
    const rig = new ApiRig(options);
    await rig.#start(options);
    return rig;
  }

  private constructor(options: ApiRigOptions) {
    this.clock = options.clock ?? new VirtualClock();
    this.store = options.store ?? options.storeOn?.(this.clock) ?? createMemoryStore();
    this.#lacks = options.lacks ?? [];
    this.#looks = options.shared ? 300 : 3000;
    this.callee = options.callee ?? { does: 'answer', ringsAfterMs: 100, afterMs: 1000 };
    this.#engine = new SimulatedEngine({
      clock: this.clock,
      ids: this.#ids,
      audio: silentAudio(),
      callee: ({ to }) => this.callees[to] ?? this.callee,
      dialled: (farEnd) => this.farEnds.push(farEnd),
    });
  }

  /** Address of the data of this node for other nodes. */
  get archive(): string {
    return this.#archive;
  }

  /** Browsers that have called, oldest first. */
  get browsers(): readonly FarEnd[] {
    return this.#engine.browsers.farEnds;
  }

  /** As the app sees it. */
  private engine(): Engine {
    const simulated = this.#engine;
    const lacking = Object.fromEntries(this.#lacks.map((capability) => [capability, false]));
    const isBroken = (): boolean => this.isEngineBroken;
    return {
      name: simulated.name,
      get capabilities(): EngineCapabilities {
        if (isBroken()) throw new Error('the engine is broken');
        return { ...simulated.capabilities, ...lacking };
      },
      start: (host) => simulated.start(host),
      stop: () => simulated.stop(),
      dial: (request) => simulated.dial(request),
      send: (legId, command) => simulated.send(legId, command),
    };
  }

  async #start(options: ApiRigOptions): Promise<void> {
    this.#receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
        const told = { headers: request.headers as Record<string, string>, body, atMs: this.clock.now() };
        this.received.push(told);
        const undocumented = undocumentedIn(body);
        if (undocumented !== undefined) this.undocumented.push(undocumented);
        const { status, body: text } = this.answerEvent(told);
        response.writeHead(status).end(text);
      });
    });
    await new Promise<void>((resolve) => this.#receiver.listen(0, '127.0.0.1', resolve));
    this.webhookUrl = `http://127.0.0.1:${(this.#receiver.address() as AddressInfo).port}/events`;

    const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'callweave-api-'));
    this.directory = directory;
    for (const [name, text] of Object.entries(options.flows ?? {})) {
      writeFileSync(join(directory, `${name}.flow.yaml`), text);
    }
    const more = `flows_directory: .\nhttp: { port: 0${options.http === undefined ? '' : `, ${options.http}`} }\n`;
    const written = `${options.projects ?? PROJECTS}${more}${options.config ?? ''}`;
    this.configText = written.replaceAll('HOOK', this.webhookUrl);
    const { config, diagnostics } = readConfigText(this.configText, join(directory, 'callweave.yaml'));
    if (!config) throw new Error(JSON.stringify(diagnostics));
    this.#archive = archiveName(config.cluster?.node, config.dataDirectory);
    this.app = await createApp(config, {
      clock: this.clock,
      ids: this.#ids,
      random: seededRandom(1),
      log: this.#log({}),
      store: this.store,
      ...defined<AppParts>({ shared: options.shared, epoch: options.epoch }),
      isQuarantined: options.isQuarantined ?? false,
      // A simulated crash would leave the process of a real engine running.
      roomEngine: this.roomEngine,
      startThread: keptThread,
      telephony: {
        engine: this.engine(),
        ...defined<Pick<Telephony, 'phonesOf'>>({ phonesOf: options.phonesOf }),
        reaches: (to) => !this.unreachable.has(to),
        browsers: () => this.#engine.browsers,
        sounds: {
          refusal: (item: AudioItem) =>
            item.type === 'speech' && item.language === UNSPOKEN
              ? { code: 'language_not_supported', message: 'nobody speaks it', retryable: false }
              : item.type === 'speech' && item.text === 'broken'
                ? { code: 'synthesis_failed', message: 'no sound', retryable: true }
                : undefined,
          prepare: (item: AudioItem) => this.#prepare(item),
          load: (item: AudioItem, signal: AbortSignal) => this.sound(item, signal),
          durationMs: (item: AudioItem) => this.#silence.durationMs(item),
        },
      },
    });
    const { http } = await this.app.start();
    this.#running = true;
    this.base = `http://127.0.0.1:${http.port}`;
  }

  /** Writes the configuration, changed, where a reload reads it. */
  rewrite(change: (text: string) => string = (text) => text): void {
    this.configText = change(this.configText);
    writeFileSync(join(this.directory, 'callweave.yaml'), this.configText);
  }

  /** Audio for clients that listen to calls; the simulated line makes none. */
  sound = (item: AudioItem, signal: AbortSignal): Promise<Int16Array> => this.#silence.load(item, signal);

  /** A text may say for how many milliseconds its voice is silent before it fails. */
  async #prepare(item: AudioItem): Promise<Fault | undefined> {
    const silentMs = item.type === 'speech' ? Number(/^fails after (\d+)$/.exec(item.text)?.[1] ?? 0) : 0;
    if (silentMs === 0) return undefined;
    await new Promise<void>((resolve) => void this.clock.after(silentMs, resolve));
    return { code: 'synthesis_failed', message: 'the voice is away', retryable: true };
  }

  /** Sends a request while virtual time passes. */
  async requestWhilePassing(...request: Parameters<ApiRig['request']>): Promise<ApiResponse> {
    let isAnswered = false;
    const asked = this.request(...request).finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.clock.advance(1);
    }
    return asked;
  }

  /** The far end that was dialled last by this number. */
  farEnd(to: string): FarEnd {
    const found = this.farEnds.findLast((farEnd) => farEnd.to === to);
    if (!found) throw new Error(`nobody dialled ${to}`);
    return found;
  }

  /** Bodies of the received events, without the common fields. */
  events(voiceId?: string): JsonObject[] {
    return this.received
      .filter(({ body }) => voiceId === undefined || body['voice_id'] === voiceId)
      .map(({ body: { timestamp: _, ...rest } }) => rest);
  }

  /** A request of the shop, unless another's credentials are given; `false` for none. */
  async request(
    method: string,
    path: string,
    body?: unknown,
    options: { as?: { id: string; key: string } | false; headers?: Record<string, string> } = {},
  ): Promise<ApiResponse> {
    const { as = SHOP } = options;
    const response = await fetch(this.base + path, {
      method,
      headers: {
        ...(as ? { authorization: `Basic ${Buffer.from(`${as.id}:${as.key}`).toString('base64')}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const isEndless = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (isEndless) await response.body?.cancel();
    const text = isEndless ? '' : await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && method !== 'HEAD';
    const answered = isJson ? (JSON.parse(text) as JsonObject) : {};
    const wrong = isJson ? schemaViolation(method, path, response.status, answered) : undefined;
    if (wrong !== undefined) throw new Error(wrong);
    return { status: response.status, headers: response.headers, text, body: answered };
  }

  /** Dials out with events to the receiver; the call's id. */
  async dial(more: object = {}): Promise<string> {
    const { status, body, text } = await this.request('POST', '/voice/v1/call', {
      from: '1000',
      to: '2000',
      event_url: this.webhookUrl,
      ...more,
    });
    if (status !== 200) throw new Error(text);
    return String(body['voice_id']);
  }

  /** Simulates an inbound call. `remote`: address of the caller, `udp:192.0.2.1:5060`. */
  call(to: string, from = '5551234', remote?: string, headers?: Record<string, string>): FarEnd {
    const source = remote === undefined ? undefined : sourceOfPeer(remote);
    const farEnd = this.#engine.call(defined({ from, to, remote, source, headers }));
    this.farEnds.push(farEnd);
    return farEnd;
  }

  /** Lets virtual time pass; at every deadline all that travels over real sockets arrives first. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.clock.now() + ms;
    do {
      await this.settle();
    } while (await this.clock.advanceToNext(untilMs));
    await this.clock.advanceTo(untilMs);
    await this.settle();
  }

  /** Until every event that can be delivered now is. */
  async settle(): Promise<void> {
    let idle = 0;
    for (let turn = 0; idle < 5 && turn < this.#looks; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      const { outbox } = this.store;
      let waiting = false;
      for (const receiver of await outbox.receivers()) {
        const [first] = await outbox.due(receiver, { nowMs: 0, limit: 1 });
        waiting ||= first?.attempts === 0;
      }
      idle = waiting ? 0 : idle + 1;
    }
  }

  /** `playstate`, `state` or `event` of each event received so far. */
  eventNames(): string[] {
    return this.received.map(({ body }) => String(body['playstate'] ?? body['state'] ?? body['event']));
  }

  /** Ends the process in effect: nothing more is sent, answered or written. */
  async crash(): Promise<void> {
    this.#running = false;
    await this.#closeReceiver();
  }

  async close(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    let isStopped = false;
    const stopped = this.app.stop(0).finally(() => {
      isStopped = true;
    });
    while (!isStopped) {
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      await this.clock.advance(50);
    }
    await stopped;
    await this.#closeReceiver();
  }

  #closeReceiver(): Promise<void> {
    return new Promise((resolve) => {
      this.#receiver.closeAllConnections();
      this.#receiver.close(() => resolve());
    });
  }

  #log(bound: LogFields): Log {
    const keep = (level: string) => (message: string, fields?: LogFields) =>
      void this.logLines.push({ level, message, fields: { ...bound, ...fields } });
    return {
      debug: keep('debug'),
      info: keep('info'),
      warn: keep('warn'),
      error: keep('error'),
      child: (fields) => this.#log({ ...bound, ...fields }),
    };
  }
}
