/** Prompts in G.711, in memory that all threads share. */
import { encodeSample, type G711Codec } from '../../toolbox/audio/g711.ts';

/** Encodes into shared memory, so that any thread can read the result without a copy. */
export function encodeG711(pcm: Int16Array, codec: G711Codec): Uint8Array<SharedArrayBuffer> {
  const bytes = new Uint8Array(new SharedArrayBuffer(pcm.length));
  for (let index = 0; index < pcm.length; index++) bytes[index] = encodeSample(pcm[index]!, codec);
  return bytes;
}
