/**
 * Cache of prompts in G.711, encoded into memory shared by all threads, once per item and codec while the source
 * returns the same samples. The source is asked at every play, because a file may have changed. The least recently
 * played entry is evicted when the cache is full; private items are not cached.
 */
import type { AudioItem } from '../../../base/core/leg.ts';
import type { AudioSource } from '../audio.ts';
import { encodeG711 } from './g711.ts';
import type { G711Codec } from './media-port.ts';
import type { EncodedAudio } from './playback.ts';

interface CachedAudio {
  source: WeakRef<Int16Array>;
  audio: EncodedAudio;
}

export class AudioCache {
  readonly #source: AudioSource;
  readonly #maxBytes: number;
  /** In the order of last use. */
  readonly #entries = new Map<string, CachedAudio>();
  /** Chunks that the source itself caches; released together with them. */
  readonly #pieces = new WeakMap<Int16Array, EncodedAudio>();
  #bytes = 0;

  constructor(source: AudioSource, maxBytes: number) {
    this.#source = source;
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True if audio is available in chunks. */
  get inPieces(): boolean {
    return this.#source.stream !== undefined;
  }

  async get(item: AudioItem, codec: G711Codec, signal: AbortSignal, projectId?: string): Promise<EncodedAudio> {
    const pcm = await this.#source.load(item, signal, projectId);
    if ('private' in item && item.private) return { codec, bytes: encodeG711(pcm, codec) };
    const key = `${codec} ${JSON.stringify({ ...item, name: undefined })}`;
    const known = this.#take(key);
    const isCurrent = known !== undefined && known.source.deref() === pcm;
    const entry = isCurrent ? known : { source: new WeakRef(pcm), audio: reusable(pcm, codec) };
    this.#put(key, entry);
    return entry.audio;
  }

  /** Returns the same in chunks, if the source supports that. */
  async *pieces(
    item: AudioItem,
    codec: G711Codec,
    signal: AbortSignal,
    projectId?: string,
  ): AsyncGenerator<EncodedAudio> {
    if (!this.#source.stream) {
      yield await this.get(item, codec, signal, projectId);
      return;
    }
    for await (const pcm of this.#source.stream(item, signal, projectId)) {
      const known = this.#pieces.get(pcm);
      if (known?.codec === codec) {
        yield known;
        continue;
      }
      const isPrivate = 'private' in item && item.private;
      const piece = isPrivate ? { codec, bytes: encodeG711(pcm, codec) } : reusable(pcm, codec);
      this.#pieces.set(pcm, piece);
      yield piece;
    }
  }

  #take(key: string): CachedAudio | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#bytes -= entry.audio.bytes.length;
    return entry;
  }

  #put(key: string, entry: CachedAudio): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.audio.bytes.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#take(oldest);
    }
  }
}

const reusable = (pcm: Int16Array, codec: G711Codec): EncodedAudio => ({
  codec,
  bytes: encodeG711(pcm, codec),
  isReusable: true,
});
