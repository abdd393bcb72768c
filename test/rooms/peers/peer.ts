/** One synthetic peer, as a browser in a room: a connection for publishing, and one for receiving. */
import { seededRandom } from '../../../src/base/core/ids.ts';
import type { TrackSource } from '../../../src/media/rooms/sfu.ts';
import { isRtcp } from '../../../src/media/toolbox/rtp/packet.ts';
import { readSenderReport, rtcpParts, writeSenderReport } from '../../../src/media/toolbox/rtp/rtcp.ts';
import { readKeyFrameRequest, readNack } from '../../../src/media/toolbox/rtp/rtcp-feedback.ts';
import { type IceParameters, iceOf } from '../../../src/media/toolbox/sdp/ice.ts';
import { MIDS, publishOffer, receiveAnswer, ssrcsOf } from './browser-sdp.ts';
import { PeerConnection } from './connection.ts';
import { flood } from './flood.ts';
import type { PeerOrder, Reception, Sending } from './peer-messages.ts';
import { ReceivedMedia } from './received-media.ts';
import { SentPicture, SentSound } from './sent-media.ts';
import { every } from './ticks.ts';

/** Seconds from 1900 to 1970. */
const NTP_EPOCH = 2_208_988_800;
const SOUND_MS = 20;
const REPORT_MS = 1000;
const ASK_MS = 50;

interface Receiver {
  connection: PeerConnection;
  ice: Promise<IceParameters>;
  ufrag: string | undefined;
  lines: Map<string, { participant: string; source: TrackSource }>;
  mids: Map<number, string>;
  media: Map<number, ReceivedMedia>;
  sinceMs: number;
}

export class Peer {
  #endFlood: () => void = () => undefined;
  readonly #name: string;
  readonly #mark: number;
  readonly #address: string;
  readonly #timers: NodeJS.Timeout[] = [];
  #sending: Sending = {};
  #lines: TrackSource[] = [];
  readonly #rounds: Record<TrackSource, number> = { audio: 0, video: 0, screen: 0 };
  #version = 0;
  #sender: { connection: PeerConnection; ice: Promise<IceParameters>; isAnswered: boolean } | undefined;
  #sound: SentSound | undefined;
  #pictures = new Map<TrackSource, SentPicture>();
  #receiver: Receiver | undefined;
  #bitsPerSecond: number | undefined;

  constructor(name: string, mark: number, address: string) {
    this.#name = name;
    this.#mark = mark;
    this.#address = address;
    this.#every(SOUND_MS, () => this.#sound?.tick());
    this.#every(REPORT_MS, () => this.#report());
    this.#every(ASK_MS, () => this.#askMissing());
  }

  #every(ms: number, run: () => void): void {
    this.#timers.push(every(ms, run));
  }

  async do(order: PeerOrder): Promise<unknown> {
    switch (order.type) {
      case 'send':
        return this.#send(order.sending);
      case 'send_anew':
        this.#sender?.connection.close();
        this.#sender = undefined;
        return this.#send(this.#sending);
      case 'pub.answer':
        this.#answered(order.sdp);
        return undefined;
      case 'sub.offer':
        return this.#answer(order);
      case 'level':
        this.#sound?.setLevel(order.level);
        return undefined;
      case 'received':
        return this.#received();
      case 'estimate':
        this.#bitsPerSecond = order.bitsPerSecond;
        this.#report();
        return undefined;
      case 'ask_key_frame':
        this.#feedback(order, (media) => media.askKeyFrame());
        return undefined;
      case 'garbage':
        this.#garbage(order.seed, order.packets);
        return undefined;
      case 'flood':
        this.#endFlood();
        this.#endFlood = flood(order.kind, order.packetsPerSecond, (bytes) => this.#sender?.connection.send(bytes));
        return undefined;
      case 'state':
        return {
          sends: this.#sender?.connection.isOpen ?? false,
          receives: this.#receiver?.connection.isOpen ?? false,
        };
      default:
        return undefined;
    }
  }

  /** Sends the offer for the new sources, with the names of its lines. */
  async #send(sending: Sending) {
    for (const source of ['audio', 'video', 'screen'] as const) {
      if (sending[source] && !this.#lines.includes(source)) this.#lines.push(source);
      // As in a browser, a source that is sent again is a new stream.
      if (sending[source] && !this.#sending[source]) this.#rounds[source]++;
    }
    this.#sending = sending;
    if (!this.#sender) {
      const connection = new PeerConnection(`${this.#name} sends`, this.#address, (bytes) => this.#takeFeedback(bytes));
      this.#sender = { connection, ice: connection.offer(), isAnswered: false };
    }
    const ice = await this.#sender.ice;
    const sdp = publishOffer(this.#lines, sending, { ice, ssrcOf: this.#ssrcOf, version: ++this.#version });
    const sources = Object.fromEntries(
      this.#lines.filter((source) => sending[source]).map((source) => [MIDS[source], source]),
    );
    return { sdp, sources };
  }

  #ssrcOf = (source: TrackSource): number =>
    this.#mark * 10_000 + { audio: 1000, video: 2000, screen: 3000 }[source] + this.#rounds[source] * 10;

  #answered(sdp: string): void {
    const sender = this.#sender;
    // There is no transport if every line was refused.
    if (!sender || !iceOf(sdp)) return;
    if (!sender.isAnswered) sender.connection.answered(sdp);
    sender.isAnswered = true;
    const send = (bytes: Buffer): void => this.#sender?.connection.send(bytes);
    const { audio } = this.#sending;
    if (!audio) this.#sound = undefined;
    else this.#sound ??= new SentSound(this.#mark, this.#ssrcOf('audio'), audio.level, send);
    for (const source of ['video', 'screen'] as const) {
      const shape = this.#sending[source];
      if (!shape) this.#pictures.delete(source);
      else if (!this.#pictures.has(source)) {
        const picture = new SentPicture(this.#mark, this.#ssrcOf(source), { mid: MIDS[source], shape }, send);
        this.#pictures.set(source, picture);
        this.#every(1000 / shape.framesPerSecond, () => {
          if (this.#pictures.get(source) === picture) picture.tick();
        });
      }
    }
  }

  #streams() {
    const sound = this.#sound ? [{ stream: this.#sound.stream, timestamp: this.#sound.timestamp }] : [];
    const pictures = [...this.#pictures.values()].flatMap(({ streams, timestamp }) =>
      streams.map(({ stream }) => ({ stream, timestamp })),
    );
    return [...sound, ...pictures];
  }

  #takeFeedback(bytes: Buffer): void {
    if (!isRtcp(bytes)) return;
    for (const part of rtcpParts(bytes)) {
      this.#begin(readKeyFrameRequest(part));
      const asked = readNack(part);
      const requested = this.#streams().find(({ stream }) => stream.ssrc === asked?.ssrc);
      for (const sequence of asked?.sequences ?? []) requested?.stream.again(sequence);
    }
  }

  #begin(ssrc: number | undefined): void {
    for (const picture of this.#pictures.values()) if (ssrc !== undefined) picture.begin(ssrc);
  }

  async #answer({ sdp, tracks }: Extract<PeerOrder, { type: 'sub.offer' }>): Promise<string> {
    const ufrag = iceOf(sdp)?.ufrag;
    if (this.#receiver?.ufrag !== ufrag) {
      this.#receiver?.connection.close();
      const connection = new PeerConnection(`${this.#name} receives`, this.#address, (bytes) => this.#take(bytes));
      this.#receiver = {
        ...{ connection, ufrag, ice: connection.answer(sdp), sinceMs: performance.now() },
        ...{ lines: new Map(), mids: new Map(), media: new Map() },
      };
    }
    const receiver = this.#receiver!;
    receiver.mids = ssrcsOf(sdp);
    receiver.lines = new Map(tracks.map(({ mid, ...line }) => [mid, line]));
    for (const ssrc of receiver.media.keys()) if (!receiver.mids.has(ssrc)) receiver.media.delete(ssrc);
    return receiveAnswer(sdp, await receiver.ice);
  }

  #take(bytes: Buffer): void {
    const receiver = this.#receiver;
    if (!receiver || bytes.length < 12) return;
    if (isRtcp(bytes)) {
      for (const part of rtcpParts(bytes)) {
        const report = readSenderReport(part);
        if (report) receiver.media.get(report.ssrc)?.noteSender(report, performance.now());
      }
      return;
    }
    const ssrc = bytes.readUInt32BE(8);
    const line = receiver.lines.get(receiver.mids.get(ssrc) ?? '');
    if (!line) return;
    const known = receiver.media.get(ssrc);
    const media = known ?? new ReceivedMedia(ssrc, line.participant, line.source, receiver.sinceMs);
    if (!known) receiver.media.set(ssrc, media);
    media.take(bytes, performance.now());
  }

  #received(): { lines: { participant: string; source: TrackSource }[]; media: Reception[] } {
    const nowMs = performance.now();
    return {
      lines: [...(this.#receiver?.lines.values() ?? [])],
      media: [...(this.#receiver?.media.values() ?? [])].map((media) => media.reception(nowMs)),
    };
  }

  #feedback(
    { participant, source }: { participant: string; source: TrackSource },
    of: (media: ReceivedMedia) => Buffer,
  ) {
    for (const media of this.#receiver?.media.values() ?? []) {
      if (media.participant === participant && media.source === source) this.#receiver?.connection.send(of(media));
    }
  }

  #report(): void {
    const seconds = Date.now() / 1000 + NTP_EPOCH;
    for (const { stream, timestamp } of this.#streams()) {
      const clock = { ntpSeconds: Math.floor(seconds), ntpFraction: Math.floor((seconds % 1) * 2 ** 32), timestamp };
      const { packets, octets } = stream;
      this.#sender?.connection.send(writeSenderReport(stream.ssrc, { ...clock, packets, octets }));
    }
    for (const media of this.#receiver?.media.values() ?? []) {
      this.#receiver?.connection.send(media.report());
      if (this.#bitsPerSecond !== undefined) this.#receiver?.connection.send(media.estimate(this.#bitsPerSecond));
    }
  }

  #askMissing(): void {
    for (const media of this.#receiver?.media.values() ?? []) {
      const asked = media.askMissing(performance.now());
      if (asked) this.#receiver?.connection.send(asked);
    }
  }

  #garbage(seed: number, packets: number): void {
    const random = seededRandom(seed);
    for (let packet = 0; packet < packets; packet++) {
      const bytes = Buffer.alloc(1 + Math.floor(random() * 200));
      for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(random() * 256);
      // Half of them look like RTP or RTCP at first sight.
      if (packet % 2 === 0) bytes[0] = 0x80 | (bytes[0]! & 0x3f);
      for (const connection of [this.#sender?.connection, this.#receiver?.connection]) connection?.send(bytes);
    }
  }

  close(): void {
    this.#endFlood();
    for (const timer of this.#timers) clearInterval(timer);
    this.#sender?.connection.close();
    this.#receiver?.connection.close();
  }
}
