/** Frames of room recordings, assembled from packets. */
import { expect, it } from 'vitest';
import type { IncomingStream, KeptPacket } from '../../../src/media/rooms/embedded/incoming-stream.ts';
import { type Frame, Frames } from '../../../src/media/rooms/embedded/recording/frames.ts';

const SOUND = { kind: 'audio', codec: 'opus' } as const;

const packet = (sequence: number, atMs: number): KeptPacket => ({
  ...{ bytes: Buffer.from([1]), marker: false, payloadType: 111, sequence, timestamp: sequence * 960, ssrc: 1 },
  ...{ payloadStart: 0, payloadEnd: 1, atMs },
});

it('continues to record a microphone whose sequence numbers step back', () => {
  const frames: Frame[] = [];
  const sound = new Frames({} as IncomingStream, SOUND, (frame) => frames.push(frame));
  for (let index = 0; index < 10; index++) sound.onPacket(packet(30_000 + index, 20 * index));
  for (let index = 0; index < 10; index++) sound.onPacket(packet(29_800 + index, 200 + 20 * index));
  expect(frames.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 20 }, (_, index) => 20 * index));
});

it('treats a late packet as late, not as a restart', () => {
  const frames: Frame[] = [];
  const sound = new Frames({} as IncomingStream, SOUND, (frame) => frames.push(frame));
  for (const sequence of [100, 101, 99, 102, 60, 103]) sound.onPacket(packet(sequence, sequence));
  expect(frames.map(({ atMs }) => atMs)).toEqual([100, 101, 102, 103]);
});
