/** Media that a synthetic peer receives on one line: counted, and checked for errors that would disturb a browser. */
import { parseVp8 } from '../../../src/media/rooms/embedded/vp8.ts';
import type { TrackSource } from '../../../src/media/rooms/sfu.ts';
import { readRtp } from '../../../src/media/toolbox/rtp/packet.ts';
import { middleOf, msToMiddle, type SenderClock, writeReceiverReport } from '../../../src/media/toolbox/rtp/rtcp.ts';
import { writeBandwidth, writeNack, writePictureLoss } from '../../../src/media/toolbox/rtp/rtcp-feedback.ts';
import { isNewer } from '../../../src/media/toolbox/rtp/sequence.ts';
import type { Reception } from './peer-messages.ts';
import { readStamp } from './sent-media.ts';

/** The receiver's own. */
const OWN_SSRC = 1;
const ASK_AFTER_MS = 50;
const MAX_ASKED = 100;

export class ReceivedMedia {
  readonly ssrc: number;
  readonly participant: string;
  readonly source: TrackSource;
  readonly #sinceMs: number;
  /** Time at which each missing packet was detected or last requested. */
  readonly #missing = new Map<number, number>();
  #highest = -1;
  #extended = 0;
  #reported = { extended: 0, packets: 0 };
  #firstMs: number | undefined;
  #lastMs: number;
  #lastTimestamp: number | undefined;
  #counted = { packets: 0, octets: 0, frames: 0, keyFrames: 0, late: 0 };
  #stamp = { from: -1, layer: -1 };
  #cleanChanges = true;
  #timeWentBack = false;
  #report: Buffer | undefined;
  #sender: (SenderClock & { atMs: number }) | undefined;

  constructor(ssrc: number, participant: string, source: TrackSource, sinceMs: number) {
    this.ssrc = ssrc;
    this.participant = participant;
    this.source = source;
    this.#sinceMs = sinceMs;
    this.#lastMs = sinceMs;
  }

  take(bytes: Buffer, nowMs: number): void {
    const packet = readRtp(bytes);
    if (!packet) return;
    const { sequence, timestamp } = packet;
    if (this.#highest < 0 || isNewer(sequence, this.#highest)) {
      const step = this.#highest < 0 ? 1 : (sequence - this.#highest) & 0xffff;
      for (let one = 1; one < step && step < 1000; one++) this.#missing.set((this.#highest + one) & 0xffff, nowMs);
      this.#extended += step;
      this.#highest = sequence;
      if (this.#lastTimestamp !== undefined && (timestamp - this.#lastTimestamp) >> 0 < 0) this.#timeWentBack = true;
      this.#lastTimestamp = timestamp;
    } else if (this.#missing.delete(sequence)) this.#counted.late++;
    else return;
    this.#firstMs ??= nowMs;
    this.#lastMs = nowMs;
    this.#counted.packets++;
    // Padding only fills the link; it is not media.
    if (packet.payloadEnd === packet.payloadStart) return;
    this.#counted.octets += packet.payloadEnd - packet.payloadStart;
    const isKey = this.source !== 'audio' && (parseVp8(packet)?.isKey ?? false);
    if (packet.marker || this.source === 'audio') this.#counted.frames++;
    if (isKey) this.#counted.keyFrames++;
    const stamp = readStamp(bytes.subarray(0, packet.payloadEnd));
    if (!stamp) return;
    const isOther = stamp.from !== this.#stamp.from || stamp.layer !== this.#stamp.layer;
    if (isOther && this.source !== 'audio' && !isKey) this.#cleanChanges = false;
    this.#stamp = stamp;
  }

  reception(nowMs: number): Reception {
    return {
      ...{ participant: this.participant, source: this.source },
      ...{ ...this.#counted, ...this.#stamp, missing: this.#missing.size },
      ...{ cleanChanges: this.#cleanChanges, timeWentBack: this.#timeWentBack },
      idleMs: nowMs - this.#lastMs,
      firstAfterMs: (this.#firstMs ?? Number.NaN) - this.#sinceMs,
    };
  }

  /** A receiver report, as browsers send every second. */
  report(): Buffer {
    const expected = this.#extended - this.#reported.extended;
    const lost = expected - (this.#counted.packets - this.#reported.packets);
    this.#reported = { extended: this.#extended, packets: this.#counted.packets };
    const fractionLost = expected > 0 ? Math.min(255, Math.max(0, Math.floor((256 * lost) / expected))) : 0;
    const block = { ssrc: this.ssrc, fractionLost, lost: this.#missing.size, highest: this.#extended };
    const sender = this.#sender;
    const lastReport = sender ? middleOf(sender) : 0;
    const sinceLastReport = sender ? msToMiddle(performance.now() - sender.atMs) : 0;
    this.#report = writeReceiverReport(OWN_SSRC, [{ ...block, jitter: 0, lastReport, sinceLastReport }]);
    return this.#report;
  }

  /** From it and our report the other end knows how long the way is. */
  noteSender(report: SenderClock, nowMs: number): void {
    this.#sender = { ...report, atMs: nowMs };
  }

  /** Prepends a report, as browsers do if reduced-size RTCP (RFC 5506) was not negotiated. */
  #compound = (feedback: Buffer): Buffer => Buffer.concat([this.#report ?? this.report(), feedback]);

  estimate = (bitsPerSecond: number): Buffer => writeBandwidth(OWN_SSRC, bitsPerSecond, [this.ssrc]);

  askKeyFrame = (): Buffer => this.#compound(writePictureLoss(OWN_SSRC, this.ssrc));

  /** NACK for the missing packets: as in browsers, sent a moment after the detection, and repeated. */
  askMissing(nowMs: number): Buffer | undefined {
    const asked = [...this.#missing].filter(([, sinceMs]) => nowMs - sinceMs >= ASK_AFTER_MS).map(([one]) => one);
    for (const sequence of asked) this.#missing.set(sequence, nowMs);
    if (asked.length === 0) return undefined;
    return this.#compound(writeNack(OWN_SSRC, this.ssrc, asked.slice(0, MAX_ASKED)));
  }
}
