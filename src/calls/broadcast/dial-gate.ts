/** Port: the right to begin calls, where several nodes share what may be dialled. Implemented in `store/redis/gate.ts`. */
export interface DialLane {
  /** Of the service, a project or a broadcast; the same on all nodes. */
  name: string;
  callsPerSecond?: number;
  maxConcurrent?: number;
  /** Calls of this lane that this node has. */
  liveCalls: number;
}

export interface DialGate {
  /**
   * How many calls may begin now, at most `most`, and after how long to ask again where it is none. `lanes`: from the
   * service down to the broadcast. What is granted and not used is lost. With `most: 0` it only says how many calls go on,
   * which holds for three seconds.
   */
  grant(lanes: readonly DialLane[], most: number): Promise<{ granted: number; waitMs: number }>;
}
