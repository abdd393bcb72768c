/**
 * Malformed and excessive input of one client to the embedded engine: other clients are not affected, and memory does
 * not grow.
 */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/base/core/ids.ts';
import { Publisher } from '../../../src/media/rooms/embedded/publisher.ts';
import { readReportBlocks, rtcpParts } from '../../../src/media/toolbox/rtp/rtcp.ts';
import { writeBandwidth, writeNack, writePictureLoss } from '../../../src/media/toolbox/rtp/rtcp-feedback.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import { publishOffer } from '../peers/browser-sdp.ts';
import { soundPacket } from '../peers/flood.ts';
import { CAMERA, VOICE } from '../peers/people.ts';
import { ENDPOINT, ICE, virtualRoom } from './virtual-room.ts';

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

const soundOf = (ssrc: number, sequence = 1, payload: Buffer = Buffer.alloc(90, 1)): Buffer =>
  soundPacket(ssrc, sequence, payload);

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

describe('malformed input of one client', () => {
  it.each([1, 2, 3, 4])('has no effect on others in place of media (seed %d)', async (seed) => {
    const room = await threeInARoom();
    for (const connection of ['mallory publishes', 'mallory views']) {
      for (const bytes of nonsense(seed, 5000)) room.packet(connection, bytes);
    }
    await room.goesOn();
    expect(room.warnings).toEqual([]);
  });

  it('is answered within bounds if it repeats requests', async () => {
    const room = await threeInARoom();
    const ssrcs = new Set(room.mallory.ssrcs);
    const all = Array.from({ length: 512 }, (_, index) => index * 128).flatMap((first) => [first, first + 1]);
    const sentBefore = room.mallory.sent;
    for (let round = 0; round < 500; round++) {
      room.packet('mallory views', writeBandwidth(1, 100_000_000, [...ssrcs]));
      for (const ssrc of ssrcs) {
        room.packet('mallory views', writeNack(1, ssrc, all));
        room.packet('mallory views', writeNack(1, ssrc, room.mallory.last(ssrc, 300)));
        room.packet('mallory views', writePictureLoss(1, ssrc));
      }
    }
    // A fraction of the requested packets, which are more than 100,000.
    expect(room.mallory.sent - sentBefore).toBeLessThan(2000);
    await room.goesOn();
  });

  it('closes a connection with more than 30 SSRCs, of RTP or of RTCP, and reports it once', async () => {
    const room = await threeInARoom();
    for (const [connection, packetOf] of [
      ['mallory publishes', soundOf],
      ['mallory views', (ssrc: number) => writePictureLoss(ssrc, 1)],
    ] as const) {
      for (let ssrc = 1; ssrc <= 40_000; ssrc++) room.packet(connection, packetOf(0x70000000 + ssrc));
      await room.goesOn();
      const closed = room.events.filter(({ type }) => type === 'excess');
      expect(closed).toEqual([{ type: 'excess', participant: 'mallory', isFirst: true, closed: 'streams' }]);
      await room.clock.advance(10 * SECOND);
      const again = room.events.filter((event) => event.type === 'connection' && event.state === 'renewed');
      expect(again.length).toBeGreaterThan(0);
      room.events.length = 0;
      room.send({ type: 'drop', participant: 'mallory' });
      room.enter('mallory');
      await room.publish('mallory', { audio: VOICE });
    }
  });

  it('keeps one SSRC for each source: a new one replaces the last one, which does not return', async () => {
    const clock = new VirtualClock(undefined, 'promises');
    const sent: Buffer[] = [];
    let give: (bytes: Buffer) => void = () => undefined;
    const ignore = () => undefined;
    const publisher = new Publisher(
      'mallory',
      {
        ...{ clock, quality: 'HD' },
        open(_name, events) {
          give = events.packet;
          const send = (bytes: Buffer) => void sent.push(bytes);
          return {
            isOpen: true,
            offer: async () => ENDPOINT,
            answer: async () => ENDPOINT,
            answered: () => true,
            send,
            close: ignore,
          };
        },
      },
      { published: ignore, unpublished: ignore, blocked: ignore, level: ignore, changed: ignore, failed: ignore },
    );
    publisher.grant(['audio']);
    const sending = { audio: VOICE };
    await publisher.publish(publishOffer(['audio'], sending, { ice: ICE, ssrcOf: () => 1, version: 1 }), {
      0: 'audio',
    });
    for (let turn = 0; turn < 3; turn++) for (let ssrc = 1; ssrc <= 20; ssrc++) give(soundOf(ssrc, turn));
    publisher.report();
    const blocks = sent.flatMap(rtcpParts).flatMap(readReportBlocks);
    expect(blocks.map(({ ssrc }) => ssrc)).toEqual([20]);
  });

  it('drops audio above the bit rate of its source, counts the packets and reports the first time', async () => {
    const room = await threeInARoom();
    const fromMs = room.clock.monotonicMs();
    const big = Buffer.alloc(1100, 1);
    // 35 Mbit/s for ten seconds.
    for (let turn = 0; turn < 1000; turn++) {
      for (let packet = 0; packet < 20; packet++)
        room.packet('mallory publishes', soundOf(1000 * 3 + 1, turn * 20 + packet, big));
      await room.clock.advance(10);
    }
    const bits = room.ben.since(fromMs, 'mallory', 'audio').reduce((sum, { bytes }) => sum + bytes * 8, 0);
    expect(bits / 10).toBeLessThan(400_000);
    const excess = room.events.filter((event) => event.type === 'excess' && 'source' in event);
    expect(excess[0]).toMatchObject({ participant: 'mallory', source: 'audio', isFirst: true });
    expect(excess.slice(1).every((event) => event.type === 'excess' && !event.isFirst)).toBe(true);
    await room.goesOn();
  });

  it('closes a connection with more than 3,000 packets a second', async () => {
    const room = await threeInARoom();
    for (let turn = 0; turn < 1000; turn++) {
      for (let packet = 0; packet < 80; packet++) room.packet('mallory views', writePictureLoss(1, 1));
      await room.clock.advance(10);
    }
    const excess = room.events.filter(({ type }) => type === 'excess');
    expect(excess[0]).toEqual({ type: 'excess', participant: 'mallory', isFirst: true, closed: 'packets' });
    await room.goesOn();
  });

  it('reports at most a few warnings', async () => {
    const room = await threeInARoom();
    for (let turn = 0; turn < 1000; turn++) {
      room.send({ type: 'negotiate', participant: 'mallory', message: { type: 'sub.answer', version: 1, sdp: '' } });
      room.send({
        ...{ type: 'negotiate', participant: 'mallory' },
        message: { type: 'pub.offer', sdp: 'v=0', sources: { 0: 'audio' } },
      });
      await room.clock.advance(10);
    }
    expect(room.warnings.length).toBeGreaterThan(0);
    expect(room.warnings.length).toBeLessThan(30);
    await room.goesOn();
  });

  it('is ignored while it exceeds the message rate, and accepted again later', async () => {
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

  it('has no effect on others: messages act for the sender alone, in an existing session', async () => {
    const room = await threeInARoom();
    for (const participant of ['nobody', '__proto__', 'constructor', '']) {
      room.send({ type: 'negotiate', participant, message: { type: 'sub.restart' } });
      room.send({ type: 'negotiate', participant, message: { type: 'sub.answer', version: 1, sdp: 'a=candidate:1' } });
      room.send({ type: 'set_layer', participant: 'mallory', publisher: participant, layer: 'off' });
    }
    room.engine.onMessage({ type: 'command', confNum: 'other', command: { type: 'drop', participant: 'ada' } });
    await room.goesOn();
  });
});
