/** Sounds in memory, the least recently used leaving first. Invariant: the sum of their bytes is at most the limit. */
export type MemoryCache = ReturnType<typeof createMemoryCache>;

export function createMemoryCache(maxBytes: number) {
  // A Map iterates in the order of insertion: the oldest is first.
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
    /** Looks without making the entry younger. */
    peek: (key: string) => sounds.get(key),
    /** A sound larger than the whole cache is not kept. */
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
