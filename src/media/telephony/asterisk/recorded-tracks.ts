/** Audio of recordings that Asterisk made: reads its WAV files (8 kHz, 16 bit), and combines them. */
import { WAV_HEADER_BYTES, wavHeader } from '../../../base/core/wav-header.ts';
import { SilenceDetector } from '../../toolbox/voice/silence-detector.ts';
import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../audio.ts';

const BYTES_PER_SAMPLE = 2;

/** Samples of the first `data` chunk; throws if it is not such a file. */
export function readTrack(file: Buffer | undefined): Int16Array {
  if (!file || file.length < WAV_HEADER_BYTES || file.toString('ascii', 0, 4) !== 'RIFF') {
    throw new Error('Asterisk has no such recording');
  }
  for (let at = 12; at + 8 <= file.length; ) {
    const bytes = file.readUInt32LE(at + 4);
    const start = at + 8;
    if (file.toString('ascii', at, at + 4) === 'data') {
      const samples = new Int16Array(Math.floor(Math.min(bytes, file.length - start) / BYTES_PER_SAMPLE));
      for (let index = 0; index < samples.length; index++) {
        samples[index] = file.readInt16LE(start + index * BYTES_PER_SAMPLE);
      }
      return samples;
    }
    at = start + bytes + (bytes % 2);
  }
  throw new Error('the recording of Asterisk has no sound');
}

/** One track unchanged; two as left and right, the shorter one padded with silence. */
export function joinTracks(tracks: readonly Int16Array[]): Int16Array {
  const [left = new Int16Array(0), right] = tracks;
  if (!right) return left;
  const joined = new Int16Array(2 * Math.max(left.length, right.length));
  for (const [index, sample] of left.entries()) joined[2 * index] = sample;
  for (const [index, sample] of right.entries()) joined[2 * index + 1] = sample;
  return joined;
}

export function wavOf(pcm: Int16Array, channels: 1 | 2): Buffer {
  const bytes = new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  return Buffer.concat([wavHeader(bytes.length, SAMPLE_RATE_HZ, channels), bytes]);
}

/** Duration for which the party was louder than silence. */
export function speechMsOf(track: Int16Array): number {
  const detector = new SilenceDetector();
  for (let at = 0; at + FRAME_SAMPLES <= track.length; at += FRAME_SAMPLES) {
    detector.frame(track, at, at + FRAME_SAMPLES);
  }
  return detector.speechMs;
}
