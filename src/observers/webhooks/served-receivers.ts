/** Port: where several nodes share an outbox, each of them sends to receivers of its own. Implemented in `cluster/`. */
export interface ServedReceivers {
  isMine(receiver: string): boolean;
  /** Calls `listener` when receivers may have come or gone. Returns how to stop that. */
  onChange(listener: () => void): () => void;
}
