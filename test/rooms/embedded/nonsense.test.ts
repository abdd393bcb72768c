/** Nonsense from one client, and far too much of it, at the engine inside: nobody else is hurt, and nothing grows. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/core/ids.ts';
import { bandwidthEstimate, nack, pictureLoss } from '../../../src/rooms/embedded/rtcp.ts';
import { CAMERA, VOICE } from '../peers/people.ts';
import { virtualRoom } from './virtual-room.ts';

const SECOND = 1000;
const KINDS = ['rtp', 'rtcp', 'bytes'] as const;

/** Packets that look right at first sight, and are not. */
function* nonsense(seed: number, count: number): Generator<Buffer> {
  const random = seededRandom(seed);
  for (let index = 0; index < count; index++) {
    const bytes = Buffer.alloc(1 + Math.floor(random() * 120));
    for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(random() * 256);
    const kind = KINDS[index % KINDS.length];
    if (kind !== 'bytes') bytes[0] = 0x80 | (bytes[0]! & 0x3f);
    if (kind === 'rtp' && bytes.length > 1) bytes[1] = random() < 0.5 ? 96 : 111;
    if (kind === 'rtcp' && bytes.length > 3) {
      bytes[1] = 200 + Math.floor(random() * 8);
      bytes.writeUInt16BE(Math.floor(random() * (bytes.length / 4)), 2);
    }
    yield bytes;
  }
}

async function threeInARoom() {
  const room = virtualRoom();
  const [ada, ben] = [room.enter('ada'), room.enter('ben')];
  const mallory = room.enter('mallory');
  room.send({ type: 'set_audible', participants: ['ada', 'ben', 'mallory'] });
  for (const id of ['ada', 'ben', 'mallory']) await room.publish(id, { audio: VOICE, video: CAMERA });
  await room.clock.advance(5 * SECOND);
  return {
    ...{ ...room, ada, ben, mallory },
    /** Whether the two others see and hear each other as if nothing was. */
    async goesOn(): Promise<void> {
      const fromMs = room.clock.monotonicMs();
      await room.clock.advance(2 * SECOND);
      for (const [viewer, from] of [
        [ada, 'ben'],
        [ben, 'ada'],
      ] as const) {
        expect(viewer.since(fromMs, from, 'audio').length).toBeGreaterThan(95);
        expect(viewer.since(fromMs, from, 'video').length).toBeGreaterThan(100);
        expect(viewer.since(fromMs, from, 'video').every(({ layer }) => layer === 0)).toBe(true);
      }
    },
  };
}

describe('nonsense of one client', () => {
  it.each([1, 2, 3, 4])('in place of media hurts nobody (seed %d)', async (seed) => {
    const room = await threeInARoom();
    for (const connection of ['mallory publishes', 'mallory views']) {
      for (const bytes of nonsense(seed, 5000)) room.packet(connection, bytes);
    }
    await room.goesOn();
    expect(room.warnings).toEqual([]);
  });

  it('that asks for everything again and again is answered within bounds', async () => {
    const room = await threeInARoom();
    const ssrcs = new Set(room.mallory.ssrcs);
    const all = Array.from({ length: 512 }, (_, index) => index * 128).flatMap((first) => [first, first + 1]);
    const sentBefore = room.mallory.sent;
    for (let round = 0; round < 500; round++) {
      room.packet('mallory views', bandwidthEstimate(1, 100_000_000, [...ssrcs]));
      for (const ssrc of ssrcs) {
        room.packet('mallory views', nack(1, ssrc, all));
        room.packet('mallory views', nack(1, ssrc, room.mallory.last(ssrc, 300)));
        room.packet('mallory views', pictureLoss(1, ssrc));
      }
    }
    // A fraction of what was asked for, which is more than 100,000 packets.
    expect(room.mallory.sent - sentBefore).toBeLessThan(2000);
    await room.goesOn();
  });

  it('that says too much at once is not listened to, and may speak again later', async () => {
    const room = await threeInARoom();
    for (let index = 0; index < 10_000; index++) {
      room.send({
        ...{ type: 'negotiate', participant: 'mallory' },
        message: { type: 'pub.offer', sdp: `v=0\r\na=ice-ufrag:${index}`, sources: { 0: 'audio' } },
      });
    }
    await room.goesOn();
    expect(room.warnings.length).toBeLessThan(100);
    await room.publish('mallory', { audio: VOICE });
    const fromMs = room.clock.monotonicMs();
    await room.goesOn();
    expect(room.ben.since(fromMs, 'mallory', 'audio').length).toBeGreaterThan(50);
  });

  it('about others changes nothing: people speak for themselves alone, and for a session that there is', async () => {
    const room = await threeInARoom();
    for (const participant of ['nobody', '__proto__', 'constructor', '']) {
      room.send({ type: 'negotiate', participant, message: { type: 'sub.restart' } });
      room.send({ type: 'negotiate', participant, message: { type: 'sub.answer', version: 1, sdp: 'a=candidate:1' } });
      room.send({ type: 'set_layer', participant: 'mallory', publisher: participant, layer: 'off' });
    }
    room.engine.take({ type: 'command', confNum: 'other', command: { type: 'drop', participant: 'ada' } });
    await room.goesOn();
  });
});
