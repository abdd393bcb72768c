/** Reader of WebM recordings: supports only what recordings contain, and reads truncated files up to their end. */
import { readFileSync } from 'node:fs';

export interface RecordedTrack {
  codec: string;
  timesMs: number[];
  isKey: boolean[];
  /** Bytes of each. */
  sizes: number[];
}

/** Ids of the elements whose children are read. */
const OUTER = [0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0x1f43b675];

export const readWebm = (path: string) => readWebmBytes(readFileSync(path));

/** `byNumber`: where there are several of a kind. */
export function readWebmBytes(bytes: Buffer) {
  const tracks: Record<string, RecordedTrack> = {};
  const byNumber = new Map<number, RecordedTrack>();
  let durationMs: number | undefined;
  let clusterMs = 0;
  let entry = { number: 0, type: 0 };
  const read: Record<number, (body: Buffer) => void> = {
    17545: (body) => (durationMs = body.readDoubleBE()),
    215: (body) => (entry = { number: body[0]!, type: 0 }),
    131: (body) => (entry.type = body[0]!),
    134: (body) => {
      const track = { codec: body.toString(), timesMs: [], isKey: [], sizes: [] };
      byNumber.set(entry.number, track);
      tracks[entry.type === 1 ? 'video' : 'audio'] = track;
    },
    231: (body) => (clusterMs = body.readUIntBE(0, body.length)),
    163: (body) => {
      const track = byNumber.get(body[0]! & 0x7f)!;
      track.timesMs.push(clusterMs + body.readInt16BE(1));
      track.isKey.push((body[3]! & 0x80) !== 0);
      track.sizes.push(body.length - 4);
    },
  };
  for (let at = 0; at < bytes.length; ) {
    const id = vint(bytes, at, false);
    const size = vint(bytes, at + id.length, true);
    const start = at + id.length + size.length;
    const end = start + size.value;
    if (OUTER.includes(id.value)) at = start;
    else if (end > bytes.length) break;
    else {
      read[id.value]?.(bytes.subarray(start, end));
      at = end;
    }
  }
  return { tracks, byNumber, durationMs };
}

function vint(bytes: Buffer, at: number, isSize: boolean): { value: number; length: number } {
  const first = bytes[at] ?? 0x80;
  const length = Math.clz32(first) - 23;
  let value = isSize ? first & (0xff >> length) : first;
  for (let index = 1; index < length; index++) value = value * 256 + (bytes[at + index] ?? 0);
  return { value, length };
}

/** The longest time without anything. */
export const longestGap = ({ timesMs }: RecordedTrack): number =>
  Math.max(...timesMs.slice(1).map((ms, index) => ms - timesMs[index]!));
