/** Overload of the engine process: it forwards less media before it stops to answer. */
import { expect, it } from 'vitest';
import { CAMERA, SCREEN, VOICE } from '../peers/people.ts';
import { type Arrival, virtualRoom } from './virtual-room.ts';

const SECOND = 1000;
const [HD, SD, LD] = [0, 1, 2];

async function room() {
  const made = virtualRoom();
  const { clock } = made;
  const ben = made.enter('ben');
  made.enter('ada');
  made.send({ type: 'set_audible', participants: ['ada', 'ben'] });
  await made.publish('ada', { audio: VOICE, video: CAMERA, screen: SCREEN });
  await clock.advance(8 * SECOND);
  const during = async (ms: number, source: 'audio' | 'video' | 'screen' = 'video'): Promise<Arrival[]> => {
    const fromMs = clock.monotonicMs();
    await clock.advance(ms);
    return ben.since(fromMs, 'ada', source);
  };
  return { ...made, ben, during };
}

it('lowers camera layers, then pauses cameras, while audio and screen share continue', async () => {
  const { during, held, ben, clock } = await room();
  expect((await during(2 * SECOND)).at(-1)?.layer).toBe(HD);
  held.ms = 300;
  const layers = (await during(5 * SECOND)).map(({ layer }) => layer);
  expect(layers.filter((layer, index) => layer !== layers[index - 1])).toEqual([HD, SD, LD]);
  const fromMs = clock.monotonicMs();
  expect(await during(4 * SECOND)).toEqual([]);
  expect(ben.since(fromMs, 'ada', 'audio').length).toBeGreaterThan(3 * 50);
  expect(ben.since(fromMs, 'ada', 'screen').length).toBeGreaterThan(3);
});

it('starts new subscribers on the lowered layer', async () => {
  const { held, clock, enter, send } = await room();
  held.ms = 300;
  await clock.advance(3 * SECOND);
  const cleo = enter('cleo');
  send({ type: 'set_audible', participants: ['ada', 'ben', 'cleo'] });
  held.ms = 20;
  const fromMs = clock.monotonicMs();
  await clock.advance(4 * SECOND);
  expect(new Set(cleo.since(fromMs, 'ada', 'video').map(({ layer }) => layer)).has(HD)).toBe(false);
});

it('restores layers step by step when it has time, and waits longer after each failure', async () => {
  const { during, held, clock, warnings } = await room();
  held.ms = 300;
  await clock.advance(4 * SECOND);
  held.ms = 0;
  expect((await during(5 * SECOND)).at(-1)).toBeUndefined();
  expect((await during(10 * SECOND)).at(-1)?.layer).toBe(LD);
  expect((await during(20 * SECOND)).at(-1)?.layer).toBe(HD);
  const falls = warnings.length;
  held.ms = 300;
  await clock.advance(2 * SECOND);
  held.ms = 0;
  expect((await during(15 * SECOND)).at(-1)?.layer).toBe(SD);
  expect((await during(8 * SECOND)).at(-1)?.layer).toBe(HD);
  expect(warnings.length).toBe(falls + 2);
});

it('keeps everything after a single late tick', async () => {
  const { during, held, clock, warnings } = await room();
  for (let count = 0; count < 5; count++) {
    held.ms = 600;
    await clock.advance(200);
    held.ms = 0;
    expect((await during(5 * SECOND)).at(-1)?.layer).toBe(HD);
  }
  expect(warnings).toEqual([]);
});

it('pauses cameras in a long turn, keeps audio and screens, and sends heartbeats meanwhile', async () => {
  const { during, held, ben, clock, signs, warnings } = await room();
  held.ms = 3000;
  await clock.advance(SECOND);
  held.ms = 0;
  const fromMs = clock.monotonicMs();
  expect(await during(2 * SECOND)).toEqual([]);
  expect(ben.since(fromMs, 'ada', 'audio').length).toBeGreaterThan(90);
  expect(ben.since(fromMs, 'ada', 'screen').length).toBeGreaterThan(30);
  expect(signs.filter((atMs) => atMs >= fromMs).length).toBeGreaterThanOrEqual(2);
  await clock.advance(SECOND);
  // Behind by nearly three seconds: two layers at once.
  expect(warnings).toEqual([expect.stringMatching(/in LD at most$/)]);
  expect((await during(3 * SECOND)).at(-1)?.layer).toBe(LD);
});
