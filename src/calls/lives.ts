/** Until when calls live: for what is kept of a call only as long as there is one. */
export interface Lives {
  watch(callId: string, over: Promise<unknown>): void;
  /** Resolves when the call is over; at once for one that is. */
  over(callId: string): Promise<unknown>;
}

export function createLives(): Lives {
  const living = new Map<string, Promise<unknown>>();
  return {
    watch(callId, over) {
      living.set(callId, over);
      void over.then(() => living.delete(callId));
    },
    over: (callId) => living.get(callId) ?? Promise.resolve(),
  };
}
