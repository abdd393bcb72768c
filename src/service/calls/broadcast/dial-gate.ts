/**
 * Port: permits to start calls, if several nodes share the dialling limits. Implemented in
 * `service/store/redis/stores/gate.ts`.
 */
export interface DialLane {
  /** Identifies the service, a project or a broadcast; the same on all nodes. */
  name: string;
  callsPerSecond?: number;
  maxConcurrent?: number;
  /** Calls in this lane on this node. */
  liveCalls: number;
}

export interface DialGate {
  /**
   * Grants up to `most` calls that may start now, or the time to wait before the next request if it grants none.
   * `lanes`: from the service down to the broadcast. Unused grants are lost. With `most: 0` it only reports the live
   * calls of this node; a report is valid for three seconds.
   */
  grant(lanes: readonly DialLane[], most: number): Promise<{ granted: number; waitMs: number }>;
}
