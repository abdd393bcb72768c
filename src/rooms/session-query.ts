/** Which of the things that are kept of sessions are wanted: call detail records, archives. */
export interface SessionQuery {
  projectId: string;
  confNum?: string;
  roomId?: string;
  /** From this moment on. */
  fromMs?: number;
  /** Before this moment. */
  beforeMs?: number;
  limit: number;
  after?: number;
}
