/** Adaptation of a subscriber to a link that carries less than the others send, and recovery. */
import { describe, expect, it } from 'vitest';
import type { TrackSource } from '../../../src/media/rooms/sfu.ts';
import type { Sending } from '../peers/peer-messages.ts';
import { CAMERA, SCREEN, VOICE } from '../peers/people.ts';
import { type Arrival, virtualRoom } from './virtual-room.ts';

const SECOND = 1000;
const [HD, SD, LD] = [0, 1, 2];
const ONE_LAYER = { framesPerSecond: 15, layers: [{ ...CAMERA.layers[0]! }] };
for (const layer of ONE_LAYER.layers) delete layer.rid;

async function watching(sending: Sending = { audio: VOICE, video: CAMERA }) {
  const room = virtualRoom();
  const { clock } = room;
  const ben = room.enter('ben');
  room.enter('ada');
  room.send({ type: 'set_audible', participants: ['ada', 'ben'] });
  await room.publish('ada', sending);
  await clock.advance(8 * SECOND);
  const silence = (fromMs: number, source: TrackSource = 'audio'): number => {
    const times = ben.since(fromMs, 'ada', source).map(({ atMs }) => atMs);
    return Math.max(...times.slice(1).map((atMs, index) => atMs - times[index]!));
  };
  const pictures = async (ms: number, source: 'video' | 'screen' = 'video'): Promise<Arrival[]> => {
    const fromMs = clock.monotonicMs();
    await clock.advance(ms);
    return ben.since(fromMs, 'ada', source);
  };
  return {
    ...{ ...room, ben, pictures },
    /** The layers of her camera, the best first. */
    sent: room.pictures[0]?.streams ?? [],
    /** Returns the layer of the last video frame received within this time. */
    layerAfter: async (ms: number) => (await pictures(ms)).at(-1)?.layer,
    /** The longest time without sound, or pictures, since then. */
    silence,
    links: () => room.events.flatMap((event) => (event.type === 'link' ? [`${event.participant} ${event.poor}`] : [])),
  };
}

describe('a subscriber', () => {
  it('gets the best layer while its link carries it, also with random packet loss', async () => {
    const { ben, pictures } = await watching();
    expect((await pictures(10 * SECOND)).every(({ layer }) => layer === HD)).toBe(true);
    ben.loss = 0.1;
    const seen = await pictures(30 * SECOND);
    expect(seen.every(({ layer }) => layer === HD)).toBe(true);
    // All sent frames except for the lost ones.
    expect(seen.length).toBeGreaterThan(30 * 15 * 4 * 0.88);
  });

  it('gets a lower layer within 3 s of a drop to 300 kbit/s, and keeps its audio', async () => {
    const { ben, clock, layerAfter, pictures, silence } = await watching();
    const narrowMs = clock.monotonicMs();
    ben.capacity = 300_000;
    expect(await layerAfter(3 * SECOND)).toBeGreaterThan(HD);
    expect(silence(narrowMs)).toBeLessThan(200);
    const fromMs = clock.monotonicMs();
    const seen = await pictures(20 * SECOND);
    expect(seen.filter(({ layer }) => layer === HD)).toEqual([]);
    expect(seen.length).toBeGreaterThan(200);
    expect(silence(fromMs)).toBeLessThan(200);
  });

  it('gets the best layer again on a good link, undisturbed by the probes before', async () => {
    const { ben, clock, layerAfter, silence } = await watching();
    ben.capacity = 300_000;
    await layerAfter(30 * SECOND);
    const fromMs = clock.monotonicMs();
    ben.capacity = undefined;
    expect(await layerAfter(40 * SECOND)).toBe(HD);
    expect(silence(fromMs)).toBeLessThan(100);
    expect(ben.padding).toBeGreaterThan(0);
    expect(await layerAfter(20 * SECOND)).toBe(HD);
  });

  it('gets video without a gap during probes, also far above its link', async () => {
    const large = { ...CAMERA.layers[0]!, packetsPerFrame: 6 };
    const camera = { ...CAMERA, layers: [large, ...CAMERA.layers.slice(1)] };
    const { ben, clock, layerAfter, silence } = await watching({ audio: VOICE, video: camera });
    ben.mostEstimated = 260_000;
    await layerAfter(3 * SECOND);
    const fromMs = clock.monotonicMs();
    expect(await layerAfter(30 * SECOND)).toBe(SD);
    expect(ben.padding).toBeGreaterThan(100_000);
    expect(silence(fromMs)).toBeLessThan(100);
    expect(silence(fromMs, 'video')).toBeLessThan(250);
  });

  it('gets audio only on a link for audio alone, with a poor rating; later it gets video again', async () => {
    const { ben, clock, pictures, links, silence } = await watching();
    ben.capacity = 60_000;
    await clock.advance(20 * SECOND);
    const fromMs = clock.monotonicMs();
    expect(await pictures(3 * SECOND)).toEqual([]);
    expect(silence(fromMs)).toBeLessThan(200);
    expect(links()).toEqual(['ben true']);
    ben.capacity = undefined;
    await clock.advance(60 * SECOND);
    expect((await pictures(SECOND)).at(-1)?.layer).toBe(HD);
    expect(links()).toEqual(['ben true', 'ben false']);
  });

  it('pauses a single-layer camera that does not fit, and keeps its audio', async () => {
    const { ben, clock, pictures, links, silence } = await watching({ audio: VOICE, video: ONE_LAYER });
    ben.capacity = 300_000;
    await clock.advance(10 * SECOND);
    const fromMs = clock.monotonicMs();
    expect(await pictures(2 * SECOND)).toEqual([]);
    expect(silence(fromMs)).toBeLessThan(200);
    expect(links()).toEqual(['ben true']);
    ben.capacity = undefined;
    await clock.advance(30 * SECOND);
    expect((await pictures(SECOND)).length).toBeGreaterThan(10);
  });

  it('gets a lower layer at once when the sender stops the best one, and the best when it resumes', async () => {
    const { ben, clock, layerAfter, silence, sent } = await watching();
    const [best] = sent;
    const fromMs = clock.monotonicMs();
    best!.isStopped = true;
    expect(await layerAfter(2 * SECOND)).toBe(SD);
    expect(silence(fromMs, 'video')).toBeLessThan(400);
    best!.isStopped = false;
    expect(await layerAfter(2 * SECOND)).toBe(HD);
    expect(silence(fromMs, 'video')).toBeLessThan(400);
    expect(ben.since(fromMs, 'ada', 'video').length).toBeGreaterThan(100);
  });

  it('gets a screen share before a camera', async () => {
    const { ben, clock, pictures } = await watching({ audio: VOICE, video: CAMERA, screen: SCREEN });
    ben.capacity = 290_000;
    await clock.advance(20 * SECOND);
    expect((await pictures(3 * SECOND, 'screen')).length).toBeGreaterThan(50);
    expect((await pictures(SECOND)).every(({ layer }) => layer === LD)).toBe(true);
  });

  it('never gets more than it requests', async () => {
    const { ben, clock, send, pictures } = await watching();
    send({ type: 'set_layer', participant: 'ben', publisher: 'ada', layer: 'SD' });
    await clock.advance(SECOND);
    ben.capacity = 120_000;
    await clock.advance(10 * SECOND);
    ben.capacity = undefined;
    expect((await pictures(60 * SECOND)).every(({ layer }) => layer >= SD)).toBe(true);
    expect((await pictures(SECOND)).at(-1)?.layer).toBe(SD);
  });

  it('gets a key frame in small portions on a narrow link, with audio between them', async () => {
    const { ben, clock, send, silence } = await watching();
    ben.capacity = 300_000;
    await clock.advance(20 * SECOND);
    const fromMs = clock.monotonicMs();
    for (let round = 0; round < 20; round++) {
      send({ type: 'mute', participant: 'ada', source: 'video', muted: true });
      send({ type: 'mute', participant: 'ada', source: 'video', muted: false });
      await clock.advance(700);
    }
    expect(ben.since(fromMs, 'ada', 'video').filter(({ isKey }) => isKey).length).toBeGreaterThan(5);
    expect(silence(fromMs)).toBeLessThan(150);
  });
});
