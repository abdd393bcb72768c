/**
 * A room of the embedded engine in virtual time: the engine runs in the test's process, with simulated connections.
 * Publishers send as synthetic peers do. The test sets the capacity of a subscriber's link, whose browser estimates the
 * bandwidth as Chromium does: at most 1.5 × the received rate, slowly increased each second, and 0.85 × the received
 * rate as soon as packets queue.
 */
import type { FromChild } from '../../../src/media/rooms/embedded/child-messages.ts';
import { EngineProcess } from '../../../src/media/rooms/embedded/engine-process.ts';
import { RateMeter } from '../../../src/media/rooms/embedded/rate-meter.ts';
import { parseVp8 } from '../../../src/media/rooms/embedded/vp8.ts';
import type { MediaTransport, MediaTransportEvents } from '../../../src/media/rooms/media-transport.ts';
import type { EngineCommand, EngineEvent, TrackSource } from '../../../src/media/rooms/sfu.ts';
import { isRtcp, readRtp } from '../../../src/media/toolbox/rtp/packet.ts';
import { rtcpParts, writeReceiverReport } from '../../../src/media/toolbox/rtp/rtcp.ts';
import { readKeyFrameRequest, writeBandwidth } from '../../../src/media/toolbox/rtp/rtcp-feedback.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import { MIDS, publishOffer, ssrcsOf } from '../peers/browser-sdp.ts';
import type { Sending } from '../peers/peer-messages.ts';
import { readStamp, SentPicture, SentSound } from '../peers/sent-media.ts';

const CONF = '1';
export const ICE = { ufrag: 'user', password: 'p'.repeat(24), fingerprint: 'sha-256 AA:BB', setup: 'actpass' };
export const ENDPOINT = { ice: ICE, setup: 'actpass', candidates: ['candidate:1 1 UDP 1 127.0.0.1 9 typ host'] };
const QUEUE_MS = 300;
const OVERUSE_MS = 60;
const GROWTH = 1.08;

/** Packet received by a subscriber. */
export interface Arrival {
  atMs: number;
  participant: string;
  source: TrackSource;
  bytes: number;
  layer: number;
  isKey: boolean;
}

export class SubscriberNetwork {
  /** Capacity in bit/s; unlimited if undefined. */
  capacity: number | undefined;
  /** bit/s that its browser estimates at most, whatever arrives: late packets look like a queue. */
  mostEstimated = Number.POSITIVE_INFINITY;
  /** Share that is lost by chance. */
  loss = 0;
  readonly arrivals: Arrival[] = [];
  /** Padding that arrived. */
  padding = 0;
  /** Packets that the engine sent. */
  sent = 0;
  /** The latest numbers of each stream. */
  readonly #numbers = new Map<number, number>();
  readonly #clock: VirtualClock;
  readonly #rate = new RateMeter();
  #lines = new Map<number, { participant: string; source: TrackSource }>();
  #freeMs = 0;
  #estimate = 0;
  readonly #streams = new Map<number, { sent: number; lost: number }>();
  #beganMs: number | undefined;
  #turn = 0;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  offered(sdp: string, tracks: readonly { mid: string; participant: string; source: TrackSource }[]): void {
    const byMid = new Map(tracks.map(({ mid, ...line }) => [mid, line]));
    this.#lines = new Map(
      [...ssrcsOf(sdp)].flatMap(([ssrc, mid]) => (byMid.has(mid) ? [[ssrc, byMid.get(mid)!]] : [])),
    );
  }

  take(bytes: Buffer): void {
    if (isRtcp(bytes)) return;
    const nowMs = this.#clock.monotonicMs();
    this.#beganMs ??= nowMs;
    const ssrc = bytes.readUInt32BE(8);
    const stream = this.#streams.get(ssrc) ?? { sent: 0, lost: 0 };
    this.#streams.set(ssrc, stream);
    stream.sent++;
    this.sent++;
    this.#numbers.set(ssrc, bytes.readUInt16BE(2));
    const startMs = Math.max(nowMs, this.#freeMs);
    const isLost = this.loss > 0 && ++this.#turn % Math.round(1 / this.loss) === 0;
    if (isLost || startMs - nowMs > QUEUE_MS) {
      stream.lost++;
      return;
    }
    this.#freeMs = this.capacity === undefined ? nowMs : startMs + (bytes.length * 8000) / this.capacity;
    const copy = Buffer.from(bytes);
    this.#clock.after(this.#freeMs - nowMs, () => this.#arrive(copy));
  }

  #arrive(bytes: Buffer): void {
    const atMs = this.#clock.monotonicMs();
    this.#rate.add(bytes.length, atMs);
    const packet = readRtp(bytes)!;
    const line = this.#lines.get(packet.ssrc);
    if (!line || packet.payloadEnd === packet.payloadStart) {
      this.padding += bytes.length;
      return;
    }
    const { layer = -1 } = readStamp(bytes) ?? {};
    const isKey = line.source !== 'audio' && (parseVp8(packet)?.isKey ?? false);
    this.arrivals.push({ atMs, ...line, bytes: bytes.length, layer, isKey });
  }

  /** Every 100 ms; undefined: nothing is known yet. */
  estimate(): Buffer | undefined {
    const nowMs = this.#clock.monotonicMs();
    if (this.#beganMs === undefined || nowMs - this.#beganMs < 3000) return undefined;
    const arrives = this.#rate.bitsPerSecond(nowMs);
    this.#estimate ||= arrives;
    if (this.#freeMs - nowMs > OVERUSE_MS) this.#estimate = Math.min(this.#estimate, arrives * 0.85);
    else this.#estimate = Math.max(this.#estimate, Math.min(this.#estimate * GROWTH ** 0.1, arrives * 1.5 + 10_000));
    this.#estimate = Math.min(this.#estimate, this.mostEstimated);
    return writeBandwidth(1, this.#estimate, [...this.#lines.keys()]);
  }

  /** Every second. */
  report(): Buffer {
    const rest = { fractionLost: 0, jitter: 0, lastReport: 0, sinceLastReport: 0 };
    const all = [...this.#streams].map(([ssrc, { sent, lost }]) => ({ ssrc, highest: sent, lost, ...rest }));
    return writeReceiverReport(1, all);
  }

  get ssrcs(): number[] {
    return [...this.#lines.keys()];
  }

  /** The last numbers of a stream. */
  last(ssrc: number, count: number): number[] {
    const highest = this.#numbers.get(ssrc) ?? 0;
    return Array.from({ length: count }, (_, index) => (highest - count + 1 + index) & 0xffff);
  }

  /** Packets received from a participant since this time. */
  since(fromMs: number, participant: string, source: TrackSource): Arrival[] {
    return this.arrivals.filter(
      (one) => one.atMs >= fromMs && one.participant === participant && one.source === source,
    );
  }
}

export function virtualRoom() {
  const clock = new VirtualClock(undefined, 'promises');
  const events: EngineEvent[] = [];
  const transports = new Map<string, MediaTransportEvents>();
  const networks = new Map<string, SubscriberNetwork>();
  const pictures: SentPicture[] = [];
  /** Browsers send a key frame on request. */
  const answerFeedback = (bytes: Buffer): void => {
    for (const ssrc of rtcpParts(bytes).map(readKeyFrameRequest)) {
      if (ssrc !== undefined) for (const picture of pictures) picture.begin(ssrc);
    }
  };
  const warnings: string[] = [];
  /** Times of heartbeats. */
  const signs: number[] = [];
  /** Names of connections that are never established. */
  const blocked = new Set<string>();
  /** Participants whose clients do not answer offers. */
  const silent = new Set<string>();
  /** Names of connections whose offers were answered. */
  const answered: string[] = [];
  let marks = 0;

  /** Name of a connection by which nothing arrives. */
  let cut: string | undefined;

  /** How long its process has no time for its timers. */
  const held = { ms: 0 };
  const engine = new EngineProcess({
    clock: {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs(),
      after: (delayMs, fire) => clock.after(delayMs + held.ms, fire),
    },
    open(name, given) {
      transports.set(name, given);
      const [id] = name.split(' ') as [string];
      const isSubscriber = name.endsWith('views');
      const transport: MediaTransport = {
        isOpen: true,
        offer: async () => ENDPOINT,
        answer: async () => ENDPOINT,
        answered: () => answered.push(name) > 0,
        send(bytes) {
          if (isSubscriber) networks.get(id)?.take(bytes);
          else answerFeedback(bytes);
        },
        close: () => transports.delete(name),
      };
      return transport;
    },
    report(message: FromChild) {
      if (message.type === 'pong') signs.push(clock.monotonicMs());
      if (message.type === 'warning') warnings.push(`${message.message}: ${message.why}`);
      if (message.type !== 'event') return;
      const { event } = message;
      events.push(event);
      if (event.type !== 'negotiate' || event.message.type !== 'sub.offer') return;
      const { version, sdp, tracks } = event.message;
      networks.get(event.participant)?.offered(sdp, tracks);
      if (silent.has(event.participant)) return;
      send({ type: 'negotiate', participant: event.participant, message: { type: 'sub.answer', version, sdp: 'any' } });
      comesUp(`${event.participant} views`);
    },
  });
  const comesUp = (name: string): void => {
    if (!blocked.has(name)) transports.get(name)?.changed('open');
  };
  const send = (command: EngineCommand): void => engine.onMessage({ type: 'command', confNum: CONF, command });
  engine.onMessage({ type: 'open', spec: { confNum: CONF, quality: 'HD' } });

  const every = (ms: number, run: () => void): void => {
    clock.after(ms, () => {
      run();
      every(ms, run);
    });
  };
  every(100, () => {
    for (const [id, network] of networks) {
      const estimate = network.estimate();
      if (estimate) transports.get(`${id} views`)?.packet(estimate);
    }
  });
  every(1000, () => {
    for (const [id, network] of networks) transports.get(`${id} views`)?.packet(network.report());
  });

  return {
    ...{ clock, events, send, warnings, signs, engine, pictures, blocked, silent, answered, held },
    /** The library gave up. */
    fail: (connection: string) => transports.get(connection)?.changed('lost'),
    /** Undefined: all is well again. */
    cut: (connection: string | undefined) => {
      cut = connection;
    },
    /** Passes a packet from the browser to a connection. */
    packet: (connection: string, bytes: Buffer) => transports.get(connection)?.packet(bytes),
    enter(id: string): SubscriberNetwork {
      const network = new SubscriberNetwork(clock);
      networks.set(id, network);
      send({
        ...{ type: 'admit', participant: id, isPhone: false },
        grants: { publish: ['audio', 'video', 'screen'], subscribe: true },
      });
      return network;
    },
    async publish(id: string, sending: Sending): Promise<void> {
      const mark = ++marks;
      const sources = (['audio', 'video', 'screen'] as const).filter((source) => sending[source]);
      const ssrcOf = (source: TrackSource): number => mark * 1000 + { audio: 1, video: 100, screen: 200 }[source];
      send({
        ...{ type: 'negotiate', participant: id },
        message: {
          ...{ type: 'pub.offer', sdp: publishOffer(sources, sending, { ice: ICE, ssrcOf, version: 1 }) },
          sources: Object.fromEntries(sources.map((source) => [MIDS[source], source])),
        },
      });
      await clock.advance(10);
      const give = (bytes: Buffer): void => {
        if (cut !== `${id} publishes`) transports.get(`${id} publishes`)?.packet(bytes);
      };
      comesUp(`${id} publishes`);
      if (sending.audio) {
        const sound = new SentSound(mark, ssrcOf('audio'), sending.audio.level, give);
        every(20, () => sound.tick());
      }
      for (const source of ['video', 'screen'] as const) {
        const shape = sending[source];
        if (!shape) continue;
        const picture = new SentPicture(mark, ssrcOf(source), { mid: MIDS[source], shape }, give);
        pictures.push(picture);
        every(1000 / shape.framesPerSecond, () => picture.tick());
      }
    },
  };
}
