/** Flood of audio packets from an attacking participant. */
import { EXTENSION, MIDS, PAYLOAD_TYPES } from './browser-sdp.ts';

const TICK_MS = 10;

/** `ssrcs`: each packet has a new SSRC; `sound`: one SSRC, in packets as large as they may be. */
export type FloodKind = 'ssrcs' | 'sound';

/** A packet of sound by the extensions of the offer. */
export function soundPacket(ssrc: number, sequence: number, payload: Buffer): Buffer {
  const header = Buffer.from([0x90, PAYLOAD_TYPES.audio, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xbe, 0xde, 0, 1, 0, 0, 0, 0]);
  header.writeUInt16BE(sequence & 0xffff, 2);
  header.writeUInt32BE((sequence * 960) >>> 0, 4);
  header.writeUInt32BE(ssrc, 8);
  header[16] = (EXTENSION.mid << 4) | (MIDS.audio.length - 1);
  header.write(MIDS.audio, 17, 'latin1');
  return Buffer.concat([header, payload]);
}

/** Starts a flood of packets and returns a function that stops it. */
export function flood(kind: FloodKind, packetsPerSecond: number, send: (bytes: Buffer) => void): () => void {
  const payload = Buffer.alloc(kind === 'sound' ? 1100 : 20, 1);
  let sent = 0;
  const began = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - began) * packetsPerSecond) / 1000;
    for (; sent < due; sent++) send(soundPacket(0x70000000 + (kind === 'ssrcs' ? sent : 0), sent, payload));
  }, TICK_MS);
  return () => clearInterval(timer);
}
