/** WebM elements that recordings and live streams share: file header and clusters. */
import type { Codec } from '../codecs.ts';
import { element, ID, idBytes, UNKNOWN_SIZE } from './ebml.ts';

export type TrackKind = 'audio' | 'video';

export interface Track {
  number: number;
  kind: TrackKind;
  /** Frame size of video. */
  size?: { width: number; height: number };
  codec?: Codec;
  /** Parameter sets of the first key frame of H.264. */
  configuration?: Buffer | undefined;
}

export interface Block {
  /** Number of its track. */
  number: number;
  timeMs: number;
  isKey: boolean;
  data: Buffer;
}

const KEY_FLAG = 0x80;
const OPUS_HZ = 48_000;

/** WebM allows VP8 and VP9; with H.264 the same file is Matroska. */
export type Container = 'webm' | 'matroska';

/** Header of a file whose length is not known yet. */
export const headOf = (container: Container): Buffer =>
  Buffer.concat([
    element(ID.EBML, [
      element(ID.EBMLVersion, 1),
      element(ID.EBMLReadVersion, 1),
      element(ID.EBMLMaxIDLength, 4),
      element(ID.EBMLMaxSizeLength, 8),
      element(ID.DocType, container),
      element(ID.DocTypeVersion, 4),
      element(ID.DocTypeReadVersion, 2),
    ]),
    idBytes(ID.Segment),
    UNKNOWN_SIZE,
  ]);

/** Header for all codecs but H.264. */
export const HEAD = headOf('webm');

/** `more`: elements after the standard ones. */
export const infoOf = (more: readonly Buffer[] = []): Buffer =>
  element(ID.Info, [
    element(ID.TimestampScale, 1_000_000),
    element(ID.MuxingApp, 'callweave'),
    element(ID.WritingApp, 'callweave'),
    ...more,
  ]);

export const tracksOf = (tracks: readonly Track[]): Buffer => element(ID.Tracks, tracks.map(entryOf));

/** RFC 7845, section 5.1: two channels, no pre-skip. */
const OPUS_HEAD = Buffer.concat([Buffer.from('OpusHead'), Buffer.from('01020000' + '80bb0000' + '000000', 'hex')]);

const CODEC_IDS: Readonly<Record<Codec, string>> = {
  ...{ VP8: 'V_VP8', VP9: 'V_VP9', H264: 'V_MPEG4/ISO/AVC' },
  opus: 'A_OPUS',
};

function entryOf({ number, kind, size, codec = 'VP8', configuration }: Track): Buffer {
  const { width = 0, height = 0 } = size ?? {};
  return element(ID.TrackEntry, [
    element(ID.TrackNumber, number),
    element(ID.TrackUID, number),
    element(ID.TrackType, kind === 'audio' ? 2 : 1),
    element(ID.FlagLacing, 0),
    ...(kind === 'audio'
      ? [
          element(ID.CodecID, CODEC_IDS.opus),
          element(ID.CodecPrivate, OPUS_HEAD),
          element(ID.Audio, [element(ID.SamplingFrequency, { float: OPUS_HZ }), element(ID.Channels, 2)]),
        ]
      : [
          element(ID.CodecID, CODEC_IDS[codec]),
          ...(configuration ? [element(ID.CodecPrivate, configuration)] : []),
          element(ID.Video, [element(ID.PixelWidth, width), element(ID.PixelHeight, height)]),
        ]),
  ]);
}

/** Blocks in ascending order, at most 32 s after the first one. */
export function clusterOf(firstMs: number, blocks: readonly Block[]): Buffer {
  const parts = blocks.map(({ number, timeMs, isKey, data }) => {
    const head = Buffer.alloc(4);
    head[0] = 0x80 | number;
    head.writeInt16BE(Math.round(timeMs) - firstMs, 1);
    head[3] = isKey ? KEY_FLAG : 0;
    return element(ID.SimpleBlock, [head, data]);
  });
  return element(ID.Cluster, [element(ID.Timestamp, firstMs), ...parts]);
}
