/**
 * An embedded engine at its own address, with real sockets and a real media thread, and its host. Tests hold calls as
 * `Leg`s and wait for events; no test waits for time to pass.
 */
import { systemClock } from '../../src/base/core/clock.ts';
import { randomIds } from '../../src/base/core/ids.ts';
import type { AudioItem, LegCommand, LegEvent } from '../../src/base/core/leg.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { createAudioLibrary } from '../../src/media/speech/audio-library.ts';
import type { DialRequest, EngineHost, IncomingLeg } from '../../src/media/telephony/engine.ts';
import { createMedia } from '../../src/media/telephony/media/media.ts';
import type { MediaPort } from '../../src/media/telephony/media/media-port.ts';
import { createSipEngine } from '../../src/media/telephony/sip/engine.ts';
import type { SipEngine, SipEngineOptions } from '../../src/media/telephony/sip/engine-options.ts';
import { rtpSockets } from '../rtp-sockets.ts';

export interface SiteOptions extends Omit<SipEngineOptions, 'host'> {
  host: string;
  portRange?: readonly [number, number];
}

type EventOf<Type extends LegEvent['type']> = Extract<LegEvent, { type: Type }>;

const WAIT_MS = 20_000;

export function makeMedia({ host, portRange = [20_000, 20_999] }: SiteOptions): MediaPort {
  const audio = createAudioLibrary({ synthesizers: [], log: silentLog });
  return createMedia({ host, portRange, sockets: rtpSockets, threads: 1, audio, log: silentLog });
}

/** One engine, not started. SIP and RTP share the host. */
export function makeEngine({ portRange, ...options }: SiteOptions, media?: MediaPort): SipEngine {
  const { host } = options;
  return createSipEngine(
    { port: 0, ...options },
    {
      media: media ?? makeMedia(portRange ? { host, portRange } : { host }),
      clock: systemClock,
      ids: randomIds,
      random: Math.random,
      log: () => {},
    },
  );
}

export class Leg {
  readonly legId: string;
  /** Description of an incoming call. */
  readonly arrival: IncomingLeg | undefined;
  readonly events: LegEvent[] = [];
  readonly #site: Site;

  constructor(site: Site, legId: string, arrival?: IncomingLeg) {
    this.#site = site;
    this.legId = legId;
    this.arrival = arrival;
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  get digits(): string {
    return this.all('digit')
      .map(({ digit }) => digit)
      .join('');
  }

  get isOver(): boolean {
    return this.events.at(-1)?.type === 'ended';
  }

  all<Type extends LegEvent['type']>(type: Type): EventOf<Type>[] {
    return this.events.filter((event): event is EventOf<Type> => event.type === type);
  }

  send(...commands: LegCommand[]): void {
    for (const command of commands) this.#site.engine.send(this.legId, command);
  }

  /** The event of this type and number, once it has arrived. */
  async until<Type extends LegEvent['type']>(type: Type, count = 1): Promise<EventOf<Type>> {
    await this.#site.until(
      () => this.all(type).length >= count,
      () => `${type} of a leg that was told ${this.types.join(', ') || 'nothing'}`,
    );
    return this.all(type)[count - 1]!;
  }

  async hangUp(cause = 16): Promise<EventOf<'ended'>> {
    this.send({ type: 'hangup', cause });
    return this.until('ended');
  }
}

export class Site implements EngineHost {
  readonly engine: SipEngine;
  readonly legs = new Map<string, Leg>();
  /** Called with every incoming call, in place of `arrival`. */
  onArrival: ((leg: Leg) => void) | undefined;
  readonly #arrived: Leg[] = [];
  readonly #watchers = new Set<() => void>();
  #dialled = 0;

  static async open(options: SiteOptions): Promise<Site> {
    const site = new Site(options);
    await site.engine.start(site);
    return site;
  }

  private constructor(options: SiteOptions) {
    this.engine = makeEngine(options);
  }

  /** Incoming calls that were not returned yet. */
  get waiting(): number {
    return this.#arrived.length;
  }

  /** `user` at this engine, for others to dial. */
  uri(user: string, transport: 'udp' | 'tcp' = 'udp'): string {
    const { host, port } = this.engine.address();
    return `sip:${user}@${host}:${port}${transport === 'tcp' ? ';transport=tcp' : ''}`;
  }

  incoming(info: IncomingLeg): void {
    const leg = new Leg(this, info.legId, info);
    this.legs.set(info.legId, leg);
    if (this.onArrival) this.onArrival(leg);
    else this.#arrived.push(leg);
    this.#look();
  }

  event(legId: string, event: LegEvent): void {
    this.legs.get(legId)?.events.push(event);
    this.#look();
  }

  dial(
    to: string,
    { from = '+33199000000', ringTimeoutMs = 10_000, ...more }: Partial<Omit<DialRequest, 'legId' | 'to'>> = {},
  ): Leg {
    const leg = new Leg(this, `dialled-${++this.#dialled}`);
    this.legs.set(leg.legId, leg);
    this.engine.dial({ legId: leg.legId, from, to, ringTimeoutMs, ...more });
    return leg;
  }

  /** The next incoming call; each is returned once. */
  async arrival(): Promise<Leg> {
    await this.until(
      () => this.#arrived.length > 0,
      () => 'a call',
    );
    return this.#arrived.shift()!;
  }

  /** Both ends of an answered call from here to there. */
  async call(other: Site, to = other.uri('+33199001122')): Promise<[near: Leg, far: Leg]> {
    const near = this.dial(to);
    const far = await other.arrival();
    far.send({ type: 'answer' });
    await Promise.all([near.until('answered'), far.until('answered')]);
    return [near, far];
  }

  /** Resolves once `holds` returns true, checked after every event. */
  until(holds: () => boolean, what: () => string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!holds()) return;
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#watchers.delete(look);
        reject(new Error(`waited in vain for ${what()}`));
      }, WAIT_MS);
      this.#watchers.add(look);
      look();
    });
  }

  #look(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

export const play = (playId: string, audio: AudioItem[], repeat = false): LegCommand => ({
  type: 'play',
  playId,
  audio,
  ...(repeat ? { repeat } : {}),
});
export const tone = (frequencyHz: number, durationMs: number): AudioItem => ({ type: 'tone', frequencyHz, durationMs });
export const silence = (durationMs: number): AudioItem => ({ type: 'silence', durationMs });
export const record = (
  recordId: string,
  file: string,
  wishes: Partial<Extract<LegCommand, { type: 'record' }>> = {},
): LegCommand => ({
  type: 'record',
  recordId,
  file,
  maxLengthMs: 10_000,
  endSilenceMs: 0,
  terminators: '',
  ...wishes,
});
export const sendDigits = (sendId: string, digits: string, gapMs = 40): LegCommand => ({
  type: 'send_digits',
  sendId,
  digits,
  toneMs: 60,
  gapMs,
});
