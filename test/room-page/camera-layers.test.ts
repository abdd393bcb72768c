/** In which layers a browser sends its camera. */
import { describe, expect, it } from 'vitest';
import { layersOf } from '../../client/camera-layers.js';

const scalesOf = (width: number, height: number, quality: string) =>
  layersOf({ width, height }, quality).map(({ rid, scaleResolutionDownBy = 1 }) => [
    rid,
    width / scaleResolutionDownBy,
  ]);

describe('layers of a camera', () => {
  it.each([
    ['HD', 1280, 720, { h: 1280, m: 640, l: 320 }],
    ['SD', 1280, 720, { h: 640, l: 320 }],
    ['LD', 1280, 720, { h: 640, l: 320 }],
    ['HD', 1920, 1080, { h: 1280, m: 640, l: 320 }],
    ['HD', 640, 360, { h: 640, l: 320 }],
    ['SD', 640, 480, { h: 640, l: 320 }],
  ])('matches in a room of %s with a camera of %i × %i the displayed layers', (quality, width, height, expected) => {
    expect(Object.fromEntries(scalesOf(width, height, quality))).toEqual(expected);
  });

  it.each([
    ['HD', 1_700_000],
    ['SD', 700_000],
    ['LD', 300_000],
  ])('fits into the limit of the service in a room of %s', (quality, most) => {
    const bits = layersOf({ width: 1280, height: 720 }, quality).reduce((sum, { maxBitrate }) => sum + maxBitrate, 0);
    expect(bits).toBeLessThanOrEqual(most);
  });

  it('are those of 1280 × 720 for a camera of unknown size', () => {
    expect(layersOf({}, 'HD').map(({ rid }) => rid)).toEqual(['h', 'm', 'l']);
  });
});
