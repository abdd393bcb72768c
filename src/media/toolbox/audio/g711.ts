/**
 * G.711 by lookup tables: one byte per 16-bit sample for encoding, one sample per byte for decoding, and one table
 * between the two laws. Used for prompt files and for the audio of calls. The tables are filled once from `alawmulaw`;
 * no other module uses that library.
 */
import alawmulaw from 'alawmulaw';

/** RTP encoding name (RFC 3551 §6): µ-law or A-law. */
export type G711Codec = 'PCMU' | 'PCMA';

interface Law {
  /** Indexed by the 16 bits of the sample, as an unsigned integer. */
  encode: Uint8Array;
  decode: Int16Array;
  /** Converts a byte of the other law. */
  fromOther: Uint8Array;
  silence: number;
}

type SampleCoder = { encodeSample(sample: number): number; decodeSample(byte: number): number };

const BYTES = 256;
const SAMPLES = 65_536;

function fillEncode(coder: SampleCoder): Uint8Array {
  const table = new Uint8Array(SAMPLES);
  for (let bits = 0; bits < SAMPLES; bits++) table[bits] = coder.encodeSample((bits << 16) >> 16);
  return table;
}

const fillDecode = (coder: SampleCoder): Int16Array =>
  Int16Array.from({ length: BYTES }, (_, byte) => coder.decodeSample(byte));

function law(coder: SampleCoder, other: SampleCoder): Law {
  const encode = fillEncode(coder);
  const recoded = Uint8Array.from({ length: BYTES }, (_, byte) => coder.encodeSample(other.decodeSample(byte)));
  return { encode, decode: fillDecode(coder), fromOther: recoded, silence: encode[0]! };
}

const LAWS: Record<G711Codec, Law> = {
  PCMU: law(alawmulaw.mulaw, alawmulaw.alaw),
  PCMA: law(alawmulaw.alaw, alawmulaw.mulaw),
};

/** The byte of a zero sample. */
export const silenceByte = (codec: G711Codec): number => LAWS[codec].silence;

export const encodeSample = (sample: number, codec: G711Codec): number => LAWS[codec].encode[sample & 0xffff]!;

/** 256 samples, indexed by the byte. */
export const decodeTable = (codec: G711Codec): Int16Array => LAWS[codec].decode;

/** 256 bytes, indexed by the other law's byte: the byte of this codec. */
export const recodeTable = (codec: G711Codec): Uint8Array => LAWS[codec].fromOther;
