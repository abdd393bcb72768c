/** Waiting for external events: the receiver of news calls `look`, which wakes waiters whose condition holds. */
export interface Watch {
  look(): void;
  /** Resolves when `found` is true, at once or after a `look`; rejects with the words of `missing` when it never is. */
  until(found: () => boolean, missing: () => string, withinMs: number): Promise<void>;
}

export function watch(): Watch {
  const waiting = new Set<() => void>();
  return {
    look() {
      for (const check of [...waiting]) check();
    },
    until: (found, missing, withinMs) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!found()) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve();
        };
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(missing()));
        }, withinMs);
        waiting.add(check);
        check();
      }),
  };
}
