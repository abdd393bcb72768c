/**
 * Engine for calls on an Asterisk, by its REST interface (ARI): Asterisk has the sockets, SIP and RTP, and plays,
 * records and mixes; this process decides. Calls arrive by the dialplan application `Stasis` with the configured name.
 * `leg.ts` is a channel, `ari-client.ts` the connection. `capabilities` and docs/asterisk.md list what Asterisk cannot
 * do.
 *
 * Invariants: E1–E4 of `../engine.ts`, and
 *  - when the connection is lost, calls continue; they end (cause 41) if it is not restored within `LOSS_MS`, or
 *    Asterisk does not have them any more;
 *  - channels of the application that belong to no leg are hung up, unless another node may take them over.
 */
import { resolve } from 'node:path';
import { CONGESTION, NO_ROUTE, TEMPORARY_FAILURE } from '../../../base/core/causes.ts';
import { atMost, type Clock, type Timer } from '../../../base/core/clock.ts';
import type { FigureSource } from '../../../base/core/figures.ts';
import type { Ids } from '../../../base/core/ids.ts';
import { defined, isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { LegCommand, LegEvent } from '../../../base/core/leg.ts';
import type { AudioSource } from '../audio.ts';
import type {
  DialRequest,
  Engine,
  EngineCapabilities,
  EngineHost,
  IncomingLeg,
  LegAtEngine,
  SurvivingEngine,
  TakenLeg,
} from '../engine.ts';
import { type AriAddress, AriClient, type AriHttp, ariPath } from './ari-client.ts';
import { outboundChannel } from './channel-request.ts';
import { legOf, listenedTo, targetOf } from './event-leg.ts';
import { HeldEvents } from './held-events.ts';
import { Leg } from './leg.ts';
import { type NodeLease, watermarkOf } from './leg-guard.ts';
import type { LegParts } from './leg-parts.ts';
import { Mixes } from './mixes.ts';
import { type OwnApplication, ownApplication } from './own-application.ts';
import { SoundFiles } from './sound-files.ts';

export interface AsteriskEngineOptions extends AriAddress {
  /** Endpoint of `pjsip.conf` for numbers. */
  trunk: string;
  mediaDirectory: string;
  /** Path of the same directory for Asterisk; default: the same path. */
  mediaDirectoryOfAsterisk?: string | undefined;
  /** Base directory of recordings. */
  recordDirectory: string;
  /** Lease of this node, if other nodes may take over its calls: the application then belongs to this node alone. */
  lease?: NodeLease | undefined;
}

export interface AsteriskEngineParts {
  http: AriHttp;
  audio: AudioSource;
  clock: Clock;
  ids: Ids;
  log(level: 'info' | 'warn' | 'error', message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Time without a connection after which calls are ended. */
const LOSS_MS = 10_000;
/** Longer than the timeouts of a leg that is being hung up. */
const STOP_MS = 4000;
/** Time after which every channel of this service was announced, or taken over. */
const ORPHAN_MS = 5000;
/** Time after which another node would have taken it over. */
const SHARED_ORPHAN_MS = 60_000;
const MAX_TEXT = 256;

export class AsteriskEngine implements Engine, SurvivingEngine {
  readonly name = 'asterisk';
  readonly capabilities: EngineCapabilities = {
    ...{ earlyMedia: true, sendDigits: true, record: true, mix: true },
    ...{ stream: false, listen: false, detectMachine: false, refer: false },
  };
  readonly #options: AsteriskEngineOptions;
  readonly #parts: AsteriskEngineParts;
  readonly #ari: AriClient;
  readonly #application: OwnApplication;
  readonly #sounds: SoundFiles;
  readonly #legParts: LegParts;
  readonly #legs = new Map<string, Leg>();
  /** Legs by the ids of their playbacks. */
  readonly #named = new Map<string, string>();
  readonly #held = new HeldEvents<JsonObject>();
  readonly #events: { legId: string; event: LegEvent }[] = [];
  #host: EngineHost | undefined;
  /** Number of connections to Asterisk so far. */
  #connections = 0;
  #isRunning = false;
  #isAccepting = true;
  #loss: Timer | undefined;
  #orphans: Timer | undefined;
  #allGone: (() => void) | undefined;

  constructor(options: AsteriskEngineOptions, parts: AsteriskEngineParts) {
    this.#options = options;
    this.#parts = parts;
    const { clock, ids, audio, http } = parts;
    this.#ari = new AriClient(options, {
      ...{ http, clock },
      event: (event) => this.#receive(event),
      up: () => void this.#up(),
      down: (why) => this.#down(why),
    });
    this.#application = ownApplication(options.application, this.#ari.request);
    this.#sounds = new SoundFiles({
      ...{ audio, clock, ids, directory: resolve(options.mediaDirectory) },
      directoryOfAsterisk: options.mediaDirectoryOfAsterisk,
      projectOf: (legId) => this.#host?.projectOf?.({ legId }),
    });
    this.#legParts = {
      ...{ ari: this.#ari, application: options.application, sounds: this.#sounds, clock },
      ...{ mixes: new Mixes(), recordDirectory: options.recordDirectory, lease: options.lease },
      emit: (legId, event) => this.#emit(legId, event),
      claim: (name, legId) => this.#named.set(name, legId),
      release: (name) => this.#named.delete(name),
      subscribe: this.#application.subscribe,
      lost: (legId) => {
        parts.log('warn', 'asterisk.leg_taken', { legId });
        this.release(legId);
      },
      gone: (legId) => this.#gone(legId),
      log: (message, fields) => parts.log('warn', message, fields),
    };
  }

  get legCount(): number {
    return this.#legs.size;
  }

  /** True while Asterisk is connected. */
  get isConnected(): boolean {
    return this.#ari.isUp;
  }

  get figures(): FigureSource {
    return {
      figures: [
        { name: 'asterisk_legs', type: 'gauge', help: 'Channels of Asterisk that are ours', read: () => this.legCount },
        {
          ...{ name: 'asterisk_connected', type: 'gauge', help: '1: events of Asterisk arrive' },
          read: () => (this.isConnected ? 1 : 0),
        },
        {
          ...{ name: 'asterisk_requests_waiting', type: 'gauge', help: 'Requests that Asterisk did not answer yet' },
          read: () => this.#ari.waiting,
        },
      ],
    };
  }

  async start(host: EngineHost): Promise<void> {
    this.#host = host;
    await this.#sounds.open();
    this.#isRunning = true;
    await this.#ari.open();
  }

  async stop(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    for (const leg of this.#legs.values()) leg.send({ type: 'hangup', cause: TEMPORARY_FAILURE.code });
    if (this.#legs.size > 0) {
      const gone = new Promise<void>((resolve) => {
        this.#allGone = resolve;
      });
      await atMost(this.#parts.clock, STOP_MS, gone);
    }
    for (const leg of [...this.#legs.values()]) leg.lose();
    // Final events are queued behind the recordings of the last leg.
    await Promise.resolve();
    this.#loss?.cancel();
    this.#orphans?.cancel();
    this.#ari.close();
    this.#flush();
  }

  /** Sets whether new calls are accepted; active calls continue. */
  acceptCalls(isAccepting: boolean): void {
    this.#isAccepting = isAccepting;
  }

  dial(request: DialRequest): void {
    const { legId } = request;
    if (!this.#isRunning) {
      this.#emit(legId, { type: 'ended', cause: TEMPORARY_FAILURE, by: 'near' });
      return;
    }
    const channel = outboundChannel(request, this.#options);
    if (!channel) {
      this.#emit(legId, { type: 'ended', cause: NO_ROUTE, by: 'near' });
      return;
    }
    const taken = this.#legs.get(legId);
    // Another node has created its channel.
    if (taken) taken.announce();
    else {
      const leg = new Leg(this.#legParts, { legId, state: 'dialling' });
      this.#legs.set(legId, leg);
      leg.dial(channel);
    }
  }

  send(legId: string, command: LegCommand): void {
    this.#legs.get(legId)?.send(command);
  }

  /** Another node has adopted the call. */
  release(legId: string): void {
    this.#legs.get(legId)?.forget();
    this.#gone(legId);
  }

  async take(legs: readonly TakenLeg[], fence: number): Promise<void> {
    await Promise.all(legs.map((leg) => this.#adopt(leg, fence)));
  }

  async inspect(legId: string): Promise<LegAtEngine> {
    return this.#legs.get(legId)?.inspect() ?? { state: 'none', commands: 0, isOpen: () => false };
  }

  async #adopt(taken: TakenLeg, fence: number): Promise<void> {
    const { legId } = taken;
    this.release(legId);
    const { status, stored } = await watermarkOf(this.#ari.request, legId);
    if (status === 404) return;
    if (!stored) throw new Error(`Asterisk does not say what it has of ${legId}: status ${status}`);
    if (stored.fence > fence)
      throw new Error(`${legId} is of a node with fence ${stored.fence}, which is more than ${fence}`);
    const state = taken.isInbound ? 'offered' : 'dialling';
    const leg = new Leg(this.#legParts, { legId, state, before: { stored, fence } });
    this.#legs.set(legId, leg);
    try {
      await this.#held.during(
        legId,
        () => this.#takeUp(leg, taken),
        (event) => this.#onEvent(event),
      );
    } catch (error) {
      this.release(legId);
      throw error;
    }
  }

  /** Subscribes before the state is queried, so that no event is missed in between. */
  async #takeUp(leg: Leg, taken: TakenLeg): Promise<void> {
    const { legId } = leg;
    const connections = this.#connections;
    const isSubscribed = await this.#application.subscribe([legId]);
    const channel = await this.#ari.request('GET', ariPath('channels', legId));
    if (channel.status === 404) return this.release(legId);
    if (!isSubscribed || channel.status !== 200 || !isObject(channel.body)) {
      throw new Error(
        `Asterisk does not say what it has of ${legId}, or does not give us its events: status ${channel.status}`,
      );
    }
    await leg.takeUp(taken, channel.body);
    if (this.#connections !== connections) await leg.check();
  }

  #receive(event: JsonObject): void {
    if (event['type'] === 'ApplicationReplaced') {
      const { application } = this.#options;
      this.#parts.log('error', 'asterisk.replaced', { application });
    } else if (!this.#held.keep(legOf(event), event)) this.#onEvent(event);
  }

  #onEvent(event: JsonObject): void {
    const { type, channel, playback, recording, peer } = event;
    if (isObject(playback)) {
      this.#playback(type, playback);
      return;
    }
    if (isObject(recording)) {
      this.#recording(type, recording);
      return;
    }
    const subject = type === 'Dial' ? peer : channel;
    if (!isObject(subject) || typeof subject['id'] !== 'string') return;
    const leg = this.#legs.get(subject['id']);
    if (leg) {
      leg.describe(subject);
      leg.receive(event);
    } else if (type === 'ChannelTalkingFinished') {
      this.#legs.get(listenedTo(subject['id']))?.media.recorder.silence(subject['id']);
    } else if (type === 'StasisStart') this.#arrived(subject, event['args']);
  }

  #playback(type: Json | undefined, { id, state }: JsonObject): void {
    if (typeof id !== 'string') return;
    const player = this.#legs.get(this.#named.get(id) ?? '')?.media.player;
    if (type === 'PlaybackStarted') player?.started(id);
    if (type === 'PlaybackFinished') player?.finished(id, state === 'failed');
  }

  #recording(type: Json | undefined, { name, target_uri: target }: JsonObject): void {
    if (type !== 'RecordingFinished' && type !== 'RecordingFailed') return;
    this.#legs.get(listenedTo(targetOf(target)))?.media.recorder.finished(String(name));
  }

  /** A channel entered the application: a call, or a snoop channel of a recording. */
  #arrived(channel: JsonObject, args: Json | undefined): void {
    const legId = String(channel['id']);
    const first = Array.isArray(args) ? args[0] : undefined;
    if (first === 'snoop' || String(channel['name']).startsWith('Snoop/')) return;
    if (!this.#isRunning || !this.#isAccepting) {
      void this.#ari.request('DELETE', `${ariPath('channels', legId)}?reason_code=${CONGESTION.code}`);
      return;
    }
    const leg = new Leg(this.#legParts, { legId, state: 'offered' });
    leg.describe(channel);
    this.#legs.set(legId, leg);
    this.#host?.incoming(incomingLeg(legId, channel));
  }

  async #up(): Promise<void> {
    this.#connections += 1;
    this.#loss?.cancel();
    const { application, lease } = this.#options;
    this.#parts.log('info', 'asterisk.connected', { application });
    const taken = [...this.#legs.keys()];
    if (lease) await this.#application.subscribe(taken);
    await Promise.all([...this.#legs.values()].map((leg) => leg.check()));
    const found = await this.#application.channels();
    // Channels that arrived meanwhile are announced by an event.
    this.#orphans?.cancel();
    this.#orphans = this.#parts.clock.after(
      lease ? SHARED_ORPHAN_MS : ORPHAN_MS,
      () => void this.#hangUpOrphans(found),
    );
  }

  async #hangUpOrphans(found: ReadonlySet<string>): Promise<void> {
    for (const channelId of await this.#application.channels()) {
      if (!found.has(channelId) || this.#isOurs(channelId)) continue;
      await this.#ari.request('DELETE', `${ariPath('channels', channelId)}?reason_code=${TEMPORARY_FAILURE.code}`);
    }
  }

  /** Ids of snoop channels start with the id of their leg. */
  #isOurs(channelId: string): boolean {
    return this.#legs.has(channelId) || this.#legs.has(listenedTo(channelId));
  }

  #down(why: string): void {
    if (!this.#isRunning) return;
    this.#parts.log('warn', 'asterisk.lost', { why });
    this.#loss = this.#parts.clock.after(LOSS_MS, () => {
      for (const leg of [...this.#legs.values()]) leg.lose();
    });
  }

  #gone(legId: string): void {
    this.#legs.delete(legId);
    for (const [name, of] of this.#named) if (of === legId) this.#named.delete(name);
    if (this.#legs.size === 0) this.#allGone?.();
  }

  #emit(legId: string, event: LegEvent): void {
    if (this.#events.push({ legId, event }) === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    for (let next = this.#events[0]; next; next = this.#events[0]) {
      this.#events.shift();
      try {
        this.#host?.event(next.legId, next.event);
      } catch (error) {
        this.#parts.log('error', 'asterisk.event_failed', { legId: next.legId, error });
      }
    }
  }
}

const text = (value: Json | undefined): string =>
  typeof value === 'string' ? value.replace(/[\x00-\x1f\x7f]+/g, ' ').slice(0, MAX_TEXT) : '';

function incomingLeg(legId: string, { caller, dialplan, protocol_id: callId }: JsonObject): IncomingLeg {
  const { name, number } = isObject(caller) ? caller : {};
  const fromName = text(name);
  const sipCallId = text(callId);
  return defined<IncomingLeg>({
    ...{ legId, from: text(number) || 'anonymous', to: text(isObject(dialplan) ? dialplan['exten'] : undefined) },
    fromName: fromName === '' ? undefined : fromName,
    sip: sipCallId === '' ? undefined : { callId: sipCallId },
  });
}
