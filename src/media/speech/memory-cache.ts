/** LRU cache of audio in memory. Invariant: the total size is at most the limit. */
export type MemoryCache = ReturnType<typeof createMemoryCache>;

export function createMemoryCache(maxBytes: number) {
  // A Map iterates in insertion order: the oldest entry is first.
  const sounds = new Map<string, Int16Array>();
  let bytes = 0;
  const remove = (key: string) => {
    bytes -= sounds.get(key)?.byteLength ?? 0;
    sounds.delete(key);
  };
  return {
    get bytes() {
      return bytes;
    },
    get(key: string): Int16Array | undefined {
      const sound = sounds.get(key);
      if (sound) {
        sounds.delete(key);
        sounds.set(key, sound);
      }
      return sound;
    },
    /** Returns an entry without marking it as used. */
    peek: (key: string) => sounds.get(key),
    /** Audio larger than the whole cache is not stored. */
    set(key: string, sound: Int16Array): void {
      remove(key);
      if (sound.byteLength > maxBytes) return;
      sounds.set(key, sound);
      bytes += sound.byteLength;
      for (const oldest of sounds.keys()) {
        if (bytes <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}
