/** Link samples on which reports are based. */
import { describe, expect, it } from 'vitest';
import type { EngineEvent, QualitySample } from '../../../src/media/rooms/sfu.ts';
import { CAMERA, VOICE } from '../peers/people.ts';
import { virtualRoom } from './virtual-room.ts';

const samplesOf = (events: readonly EngineEvent[], id: string): QualitySample[] =>
  events.flatMap((event) => (event.type === 'stats' && event.participant === id ? event.samples : []));
const pictures = (samples: readonly QualitySample[], direction: 'send' | 'receive') =>
  samples.filter((sample) => sample.source === 'video' && sample.direction === direction);

async function roomOfTwo(layer: 'HD' | 'LD') {
  const room = virtualRoom();
  room.enter('ada');
  const network = room.enter('ben');
  room.send({ type: 'set_audible', participants: ['ada', 'ben'] });
  room.send({ type: 'set_layer', participant: 'ben', publisher: 'ada', layer });
  await room.clock.advance(2000);
  await room.publish('ada', { audio: VOICE, video: CAMERA });
  return { ...room, network };
}

describe('samples of a link', () => {
  it('skips the first one, which covers a part of its interval', async () => {
    const { clock, events } = await roomOfTwo('HD');
    await clock.advance(4000);
    expect(samplesOf(events, 'ada')).toEqual([]);
    expect(samplesOf(events, 'ben')).toEqual([]);
    await clock.advance(5000);
    expect(pictures(samplesOf(events, 'ada'), 'send')).toHaveLength(1);
    expect(pictures(samplesOf(events, 'ben'), 'receive')).toHaveLength(1);
  });

  it('compares a small picture with the wanted layer', async () => {
    const { clock, events } = await roomOfTwo('LD');
    await clock.advance(20_000);
    const received = pictures(samplesOf(events, 'ben'), 'receive');
    expect(received.length).toBeGreaterThan(1);
    for (const { bitsPerSecond, expectedBitsPerSecond = 0 } of received) {
      expect(bitsPerSecond / expectedBitsPerSecond).toBeGreaterThan(0.9);
      expect(bitsPerSecond).toBeLessThan(150_000);
    }
  });

  it('includes media dropped for a narrow link, also if nothing is sent', async () => {
    const { clock, events, network } = await roomOfTwo('HD');
    await clock.advance(10_000);
    network.capacity = 60_000;
    await clock.advance(30_000);
    const last = pictures(samplesOf(events, 'ben'), 'receive').at(-1)!;
    expect(last.bitsPerSecond / last.expectedBitsPerSecond!).toBeLessThan(0.25);
  });
});

describe('a publisher whose network is gone', () => {
  it('has a poor link within 2.5 s, and a good one with the first packet', async () => {
    const room = virtualRoom();
    room.enter('ada');
    await room.publish('ada', { audio: VOICE });
    await room.clock.advance(3000);
    const links = () => room.events.filter((event) => event.type === 'link');
    expect(links()).toEqual([]);
    room.cut('ada publishes');
    await room.clock.advance(2500);
    expect(links()).toEqual([{ type: 'link', participant: 'ada', poor: true }]);
    room.cut(undefined);
    await room.clock.advance(300);
    expect(links().at(-1)).toEqual({ type: 'link', participant: 'ada', poor: false });
  });
});
