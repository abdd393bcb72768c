/** Port: if several nodes share an outbox, each receiver is served by one of them. Implemented in `cluster/`. */
export interface ReceiverOwnership {
  /**
   * True if this node serves the receiver now. If it shall, but another node has not finished with it, `onChange`
   * reports when it does.
   */
  isMine(receiver: string): boolean;
  /**
   * Calls `listener` when the assignment of these receivers, or of any, may have changed. Returns a function that
   * unsubscribes.
   */
  onChange(listener: (receivers?: readonly string[]) => void): () => void;
  /** No attempt is in flight from this node: another node may take the receiver over. */
  finished(receiver: string): void;
  /** Releases all receivers; no attempt may be in flight. */
  leave(): Promise<void>;
}
