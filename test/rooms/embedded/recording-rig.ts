/** Participants of a recording, simulated by the test packet by packet, in virtual time. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IncomingStream } from '../../../src/media/rooms/embedded/incoming-stream.ts';
import { PublishedSource } from '../../../src/media/rooms/embedded/published-source.ts';
import type { OpenFile } from '../../../src/media/rooms/embedded/recording/file-recorder.ts';
import { SessionRecorder } from '../../../src/media/rooms/embedded/recording/session-recorder.ts';
import type { EngineEvent, TrackSource } from '../../../src/media/rooms/sfu.ts';
import { readRtp } from '../../../src/media/toolbox/rtp/packet.ts';
import { rtcpParts } from '../../../src/media/toolbox/rtp/rtcp.ts';
import { readKeyFrameRequest } from '../../../src/media/toolbox/rtp/rtcp-feedback.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';

const FRAME_MS = { audio: 20, video: 40 } as const;
const TICKS_PER_MS = { audio: 48, video: 90 } as const;
/** 20 ms of Opus for readers that do not decode it. */
const SOUND = Buffer.from([0xf8, ...new Array<number>(39).fill(0)]);
const SECONDS_1900 = 2_208_988_800;

export function recordingRig(openFile?: OpenFile) {
  const clock = new VirtualClock();
  const directory = mkdtempSync(join(tmpdir(), 'callweave-recording-'));
  const events: EngineEvent[] = [];
  const parts = { clock, directory, report: (event: EngineEvent) => void events.push(event) };
  const recorder = new SessionRecorder(openFile ? { ...parts, openFile } : parts);
  return {
    ...{ clock, directory, recorder, events },
    of: <Type extends EngineEvent['type']>(type: Type) =>
      events.filter((event): event is Extract<EngineEvent, { type: Type }> => event.type === type),
    publish: (owner: string, name: TrackSource) => new PlayedSource(clock, recorder, owner, name),
    record: (sources: Record<string, TrackSource[]>) => recorder.set({ on: true, sources }),
    pathOf: (file: string) => join(directory, file),
  };
}

export class PlayedSource {
  readonly source: PublishedSource;
  /** Delay of the packets. */
  delayMs = 10;
  /** Numbers of the lost packets. */
  readonly lost = new Set<number>();
  keysAsked = 0;
  sent = 0;
  readonly #clock: VirtualClock;
  readonly #kind: 'audio' | 'video';
  readonly #madeMs: number;
  #stream: IncomingStream | undefined;
  #isOn = true;
  #wantsKey = true;

  constructor(clock: VirtualClock, recorder: Pick<SessionRecorder, 'published'>, owner: string, name: TrackSource) {
    this.#clock = clock;
    this.#kind = name === 'audio' ? 'audio' : 'video';
    this.#madeMs = clock.now();
    this.source = new PublishedSource({
      ...{ owner, name, clock, quality: 'HD' as const },
      media: {
        ...{ kind: this.#kind, mid: '0', payloadType: 96, rids: [], ssrcs: [], extensions: {} },
      } as unknown as PublishedSource['media'],
      // Feedback for the sender: a key frame request (PLI) or a NACK.
      send: (feedback) => {
        if (rtcpParts(feedback).every((part) => readKeyFrameRequest(part) === undefined)) return;
        this.keysAsked++;
        this.#wantsKey = true;
      },
    });
    recorder.published(this.source);
    this.#next();
  }

  #next(): void {
    if (!this.#isOn) return;
    this.#send(this.sent++);
    this.#clock.after(FRAME_MS[this.#kind], () => this.#next());
  }

  #send(number: number): void {
    const nowMs = this.#clock.now();
    const timestamp = (4_000_000_000 + (nowMs - this.#madeMs) * TICKS_PER_MS[this.#kind]) >>> 0;
    const isKey = this.#kind === 'video' && this.#wantsKey;
    this.#wantsKey = false;
    if (this.lost.has(number)) return;
    const bytes = this.#kind === 'video' ? picture(isKey, number) : SOUND;
    const packet = readRtp(rtp((65_500 + number) & 0xffff, timestamp, bytes))!;
    this.#clock.after(this.delayMs, () => {
      this.#stream ??= this.source.open(packet)!;
      this.source.onRtp(packet, this.#stream);
    });
  }

  /** Sends a sender report. The clock of the sender is one hour ahead. */
  report(): void {
    const nowMs = this.#clock.now();
    const seconds = Math.floor(nowMs / 1000) + 3600 + SECONDS_1900;
    this.#stream!.senderReported({
      ntpSeconds: seconds,
      ntpFraction: ((nowMs % 1000) / 1000) * 2 ** 32,
      timestamp: (4_000_000_000 + (nowMs - this.#madeMs) * TICKS_PER_MS[this.#kind]) >>> 0,
    });
  }

  stop(): void {
    this.#isOn = false;
  }
}

function rtp(sequence: number, timestamp: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head[0] = 0x80;
  head[1] = 0x80 | 96;
  head.writeUInt16BE(sequence, 2);
  head.writeUInt32BE(timestamp, 4);
  head.writeUInt32BE(7, 8);
  return Buffer.concat([head, payload]);
}

/** A VP8 frame with a header only. */
function picture(isKey: boolean, number: number): Buffer {
  return Buffer.from([0x10, isKey ? 0x10 : 0x11, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0x68, 0x01, number & 0xff]);
}
