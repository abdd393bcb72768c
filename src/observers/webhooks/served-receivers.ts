/** Port: where several nodes share an outbox, each of them sends to receivers of its own. Implemented in `cluster/`. */
export interface ServedReceivers {
  /** Whether this node sends to it now. Where it shall, and another is not done with it, `onChange` says when it does. */
  isMine(receiver: string): boolean;
  /** Calls `listener` when receivers may have come or gone: these, or any. Returns how to stop that. */
  onChange(listener: (receivers?: readonly string[]) => void): () => void;
  /** Nothing is under way to it from here: if it is another node's, that one may begin. */
  finished(receiver: string): void;
  /** Gives up all of them: nothing is under way to any. */
  leave(): Promise<void>;
}
