/** Choice of the camera layer for a subscriber: by pixels, whatever layers are available. */
import { describe, expect, it } from 'vitest';
import { PublishedSource } from '../../../src/media/rooms/embedded/published-source.ts';
import { readRtp } from '../../../src/media/toolbox/rtp/packet.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';

type Size = [width: number, height: number];
const RIDS = ['h', 'm', 'l'];

/** A camera that sends these layers; undefined for a layer that has stopped. */
function cameraOf(quality: 'HD' | 'SD' | 'LD', layers: readonly (Size | undefined)[]): PublishedSource {
  const source = new PublishedSource({
    ...{ owner: 'ada', name: 'video', clock: new VirtualClock(), quality, send: () => undefined },
    media: {
      ...{ mid: '1', payloadType: 96, rids: RIDS.slice(0, layers.length), ssrcs: [], takesLoneFeedback: true },
      codec: { codec: 'VP8', payloadType: 96 },
    },
  });
  for (const [index, size] of layers.entries()) {
    if (!size) continue;
    const bytes = Buffer.concat([Buffer.alloc(12), Buffer.from('101002009d012a00000000', 'hex')]);
    bytes[0] = 0x80;
    bytes[1] = 96;
    bytes.writeUInt32BE(index + 1, 8);
    bytes.writeUInt16LE(size[0], 19);
    bytes.writeUInt16LE(size[1], 21);
    const packet = { ...readRtp(bytes)!, rid: RIDS[index]! };
    source.onRtp(packet, source.open(packet)!);
  }
  return source;
}

const pixelsOf = (source: PublishedSource) =>
  (['HD', 'SD', 'LD'] as const).map((each) => source.streamFor(each)?.pixels);
const [HD, SD, LD] = [1280 * 720, 640 * 360, 320 * 180];
const CAMERA: Size[] = [
  [1280, 720],
  [640, 360],
  [320, 180],
];

describe('camera layer', () => {
  it('is the smallest one not below the wanted size', () => {
    expect(pixelsOf(cameraOf('HD', CAMERA))).toEqual([HD, SD, LD]);
    expect(
      pixelsOf(
        cameraOf('HD', [
          [960, 540],
          [480, 270],
          [240, 135],
        ]),
      ),
    ).toEqual([960 * 540, 960 * 540, 480 * 270]);
  });

  it('is the full picture of a 640 pixel camera for a tile of 640, although it sends two layers', () => {
    expect(pixelsOf(cameraOf('HD', [CAMERA[1], CAMERA[2]]))).toEqual([SD, SD, LD]);
  });

  it('is at most the size that the room allows, also if the best layer has stopped', () => {
    expect(pixelsOf(cameraOf('LD', CAMERA))).toEqual([SD, SD, LD]);
    expect(pixelsOf(cameraOf('LD', [undefined, CAMERA[1], CAMERA[2]]))).toEqual([SD, SD, LD]);
  });

  it('is the largest available one below the wanted size, or the smallest if all exceed the limit of the room', () => {
    expect(pixelsOf(cameraOf('HD', [undefined, undefined, CAMERA[2]]))).toEqual([LD, LD, LD]);
    expect(pixelsOf(cameraOf('LD', [[1280, 720]]))).toEqual([HD, HD, HD]);
  });
});
