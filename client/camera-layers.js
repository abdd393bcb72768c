/** Simulcast layers of a camera: only those that the room may show. `room-client.js` sends them. */

/** Maximum size of a camera's video that a room of each quality shows, in pixels. */
const MAX_PIXELS = { HD: 1280 * 720, SD: 640 * 480, LD: 640 * 360 };
/** In descending order. */
const LAYERS = [
  { rid: 'h', maxBitrate: 1_200_000 },
  { rid: 'm', scaleResolutionDownBy: 2, maxBitrate: 350_000 },
  { rid: 'l', scaleResolutionDownBy: 4, maxBitrate: 120_000 },
];
/** Browsers send a video of at most this width in at most two layers; the second one is for narrow links. */
const SMALL_WIDTH = 640;
/** Bit rates of both in bit/s. Their sum is within the limit of the service for a room of this quality. */
const SMALL_BITRATES = { HD: [800_000, 150_000], SD: [500_000, 150_000], LD: [200_000, 90_000] };
/** Scales that divide usual video sizes into whole pixels. */
const SCALES = [1, 1.5, 2, 3, 4, 6, 8];
/** Size of a camera that does not report one. */
const USUAL = { width: 1280, height: 720 };

/** Options for `addTransceiver`. A camera is sent in layers; a screen, whose text has to stay sharp, in one. */
export const sendingOf = (source, track, quality) => ({
  direction: 'sendonly',
  streams: [new MediaStream([track])],
  ...(source === 'video' ? { sendEncodings: layersOf(track.getSettings(), quality) } : {}),
});

/** The first argument is the size of the camera's video. */
export function layersOf({ width = USUAL.width, height = USUAL.height }, quality) {
  const most = MAX_PIXELS[quality] ?? MAX_PIXELS.HD;
  const scale = SCALES.find((each) => (width * height) / each ** 2 <= most) ?? SCALES.at(-1);
  if (width / scale > SMALL_WIDTH) return LAYERS.map((layer) => scaled(layer, scale));
  const [h, l] = SMALL_BITRATES[quality] ?? SMALL_BITRATES.HD;
  return [
    scaled({ rid: 'h', maxBitrate: h }, scale),
    scaled({ rid: 'l', scaleResolutionDownBy: 2, maxBitrate: l }, scale),
  ];
}

function scaled({ scaleResolutionDownBy = 1, ...layer }, scale) {
  const by = scaleResolutionDownBy * scale;
  return by === 1 ? layer : { ...layer, scaleResolutionDownBy: by };
}
