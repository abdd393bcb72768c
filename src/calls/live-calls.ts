/** Until when calls live: for what is kept of a call only as long as there is one. */
export interface LiveCalls {
  add(callId: string, over: Promise<unknown>): void;
  /** Resolves when the call is over; at once for one that is. */
  ended(callId: string): Promise<unknown>;
}

export function createLiveCalls(): LiveCalls {
  const living = new Map<string, Promise<unknown>>();
  return {
    add(callId, over) {
      living.set(callId, over);
      void over.then(() => living.delete(callId));
    },
    ended: (callId) => living.get(callId) ?? Promise.resolve(),
  };
}
