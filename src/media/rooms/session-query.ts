/** Filter for session records: call detail records and archives. */
export interface SessionQuery {
  projectId: string;
  confNum?: string;
  roomId?: string;
  /** Inclusive. */
  fromMs?: number;
  /** Exclusive. */
  beforeMs?: number;
  limit: number;
  after?: number;
}
