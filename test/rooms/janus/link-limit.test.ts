/** Layers by the link of a viewer, in virtual time: Janus reports loss each second as long as there is some. */
import { expect, it } from 'vitest';
import { LinkLimit } from '../../../src/media/rooms/janus/link-limit.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';

/** Returns the layer of each second on a link that loses packets of all layers above `carried`. */
async function layersOn(carried: (second: number) => number, seconds: number): Promise<number[]> {
  const clock = new VirtualClock();
  const limit = new LinkLimit({ clock, best: 2, changed: () => undefined });
  const layers: number[] = [];
  for (let second = 0; second < seconds; second++) {
    if (limit.most > carried(second)) limit.lossy();
    layers.push(limit.most);
    await clock.advance(1000);
  }
  limit.stop();
  return layers;
}

const share = (layers: readonly number[], layer: number): number =>
  layers.filter((each) => each === layer).length / layers.length;

it('is the best on a link that loses nothing', async () => {
  expect(share(await layersOn(() => 2, 30), 2)).toBe(1);
});

it('falls within 3 s to what the link carries, and tries more ever more seldom', async () => {
  const layers = await layersOn(() => 0, 600);
  expect(layers.slice(0, 4)).toEqual([1, 1, 0, 0]);
  expect(share(layers, 0)).toBeGreaterThan(0.9);
  const tries = layers.flatMap((layer, second) => (layer === 1 && layers[second - 1] === 0 ? second : []));
  const waits = tries.slice(1).map((second, index) => second - tries[index]!);
  expect(waits.length).toBeGreaterThan(3);
  for (const [index, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(waits[index - 1] ?? 0);
  expect(waits.at(-1)).toBeGreaterThan(60);
});

it('is the best again soon after a short time of loss', async () => {
  const layers = await layersOn((second) => (second < 10 ? 0 : 2), 60);
  expect(layers[9]).toBe(0);
  expect(share(layers.slice(40), 2)).toBe(1);
});
