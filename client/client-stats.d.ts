/** Types of `client-stats.js`. */
export interface ClientStatsMessage {
  type: 'client_stats';
  seconds: number;
  frames_decoded: number;
  freezes: number;
  freeze_ms: number;
  /** Share of the sound, 0 to 1. */
  concealed: number;
  round_trip_ms?: number;
}

export class ClientStats {
  take(stats: { values(): Iterable<object> }, nowMs: number): ClientStatsMessage | undefined;
}
