/** EBML elements (RFC 8794) that WebM needs. */

/** Ids as written in the file; names as in the specification of Matroska (RFC 9559). */
export const ID = {
  EBML: 0x1a45dfa3,
  EBMLVersion: 0x4286,
  EBMLReadVersion: 0x42f7,
  EBMLMaxIDLength: 0x42f2,
  EBMLMaxSizeLength: 0x42f3,
  DocType: 0x4282,
  DocTypeVersion: 0x4287,
  DocTypeReadVersion: 0x4285,
  Void: 0xec,
  Segment: 0x18538067,
  SeekHead: 0x114d9b74,
  Seek: 0x4dbb,
  SeekID: 0x53ab,
  SeekPosition: 0x53ac,
  Info: 0x1549a966,
  TimestampScale: 0x2ad7b1,
  Duration: 0x4489,
  DateUTC: 0x4461,
  MuxingApp: 0x4d80,
  WritingApp: 0x5741,
  Tracks: 0x1654ae6b,
  TrackEntry: 0xae,
  TrackNumber: 0xd7,
  TrackUID: 0x73c5,
  TrackType: 0x83,
  FlagLacing: 0x9c,
  CodecID: 0x86,
  CodecPrivate: 0x63a2,
  Video: 0xe0,
  PixelWidth: 0xb0,
  PixelHeight: 0xba,
  Audio: 0xe1,
  SamplingFrequency: 0xb5,
  Channels: 0x9f,
  Cluster: 0x1f43b675,
  Timestamp: 0xe7,
  SimpleBlock: 0xa3,
  Cues: 0x1c53bb6b,
  CuePoint: 0xbb,
  CueTime: 0xb3,
  CueTrackPositions: 0xb7,
  CueTrack: 0xf7,
  CueClusterPosition: 0xf1,
} as const;

export type ElementId = (typeof ID)[keyof typeof ID];

/** Content of an element: a number is unsigned, `float` has eight bytes. */
export type Content = number | string | Buffer | readonly Buffer[] | { float: number };

export function element(id: ElementId, content: Content): Buffer {
  const body = bytesOf(content);
  return Buffer.concat([idBytes(id), sizeBytes(body.length), body]);
}

export const idBytes = (id: ElementId): Buffer => unsigned(id);

/** Size of a body, in as few bytes as possible, or in eight. */
export function sizeBytes(size: number, isLong = false): Buffer {
  let length = isLong ? 8 : 1;
  while (size >= 2 ** (7 * length) - 1) length++;
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE((1n << BigInt(7 * length)) | BigInt(size));
  return bytes.subarray(8 - length);
}

/** Size of an element that extends to the end of the file. */
export const UNKNOWN_SIZE = Buffer.from('01ffffffffffffff', 'hex');

/** Reserves `length` bytes, from 2 to 127, to be overwritten later. */
export const voidOf = (length: number): Buffer => element(ID.Void, Buffer.alloc(length - 2));

function bytesOf(content: Content): Buffer {
  if (typeof content === 'number') return unsigned(content);
  if (typeof content === 'string') return Buffer.from(content);
  if (Buffer.isBuffer(content)) return content;
  if ('float' in content) {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(content.float);
    return bytes;
  }
  return Buffer.concat(content);
}

function unsigned(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  const first = bytes.findIndex((byte) => byte !== 0);
  return bytes.subarray(first < 0 ? 7 : first);
}
