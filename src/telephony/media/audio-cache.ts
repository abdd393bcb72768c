/**
 * Prompts in G.711, encoded once per (item, codec) into memory that all threads share.
 * The source is asked at every play, because a file may have changed; what was encoded is kept for as long as the
 * source answers with the same samples, and the least recently played is forgotten when the cache is full.
 */
import type { AudioItem } from '../../core/leg.ts';
import type { AudioSource } from '../audio.ts';
import { encodeG711 } from './g711.ts';
import type { G711Codec } from './media-port.ts';
import type { EncodedAudio } from './playback.ts';

interface Entry {
  source: WeakRef<Int16Array>;
  audio: EncodedAudio;
}

export class AudioCache {
  readonly #source: AudioSource;
  readonly #maxBytes: number;
  /** In order of last use. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(source: AudioSource, maxBytes: number) {
    this.#source = source;
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async get(item: AudioItem, codec: G711Codec, signal: AbortSignal): Promise<EncodedAudio> {
    const pcm = await this.#source.load(item, signal);
    const key = `${codec} ${JSON.stringify({ ...item, name: undefined })}`;
    const known = this.#take(key);
    const isCurrent = known !== undefined && known.source.deref() === pcm;
    const entry = isCurrent ? known : { source: new WeakRef(pcm), audio: { codec, bytes: encodeG711(pcm, codec) } };
    this.#put(key, entry);
    return entry.audio;
  }

  #take(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#bytes -= entry.audio.bytes.length;
    return entry;
  }

  #put(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.audio.bytes.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#take(oldest);
    }
  }
}
