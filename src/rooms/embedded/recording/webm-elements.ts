/** The elements of WebM that a recording and a broadcast have in common: what stands before the media, and clusters of it. */
import type { Codec } from '../codecs.ts';
import { element, ID, idBytes, UNKNOWN_SIZE } from './ebml.ts';

export type TrackKind = 'audio' | 'video';

export interface Track {
  number: number;
  kind: TrackKind;
  /** Of a picture. */
  size?: { width: number; height: number };
  codec?: Codec;
  /** Parameter sets of the first key frame of H.264. */
  configuration?: Buffer | undefined;
}

export interface Block {
  /** Of its track. */
  number: number;
  timeMs: number;
  isKey: boolean;
  data: Buffer;
}

const KEY_FLAG = 0x80;
const OPUS_HZ = 48_000;

/** WebM has VP8 and VP9; with H.264 the same file is Matroska. */
export type Container = 'webm' | 'matroska';

/** A file whose length is not known yet begins with it. */
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

/** As it is for all codecs but H.264. */
export const HEAD = headOf('webm');

/** `more`: elements after the usual ones. */
export const infoOf = (more: readonly Buffer[] = []): Buffer =>
  element(ID.Info, [
    element(ID.TimestampScale, 1_000_000),
    element(ID.MuxingApp, 'callweave'),
    element(ID.WritingApp, 'callweave'),
    ...more,
  ]);

export const tracksOf = (tracks: readonly Track[]): Buffer => element(ID.Tracks, tracks.map(entryOf));

/** RFC 7845, section 5.1: two channels, nothing to skip. */
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

/** Blocks in the order of their times, not further than 32 s from the first one. */
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
