/** What was answered to a request that is to count once (`Idempotency-Key`), kept with what the request made. */
export interface Receipt {
  projectId: string;
  key: string;
  /** Distinguishes the request from others: a digest of its method, path and body. */
  request: string;
  status: number;
  /** JSON text. */
  body: string;
  createdMs: number;
}

/** How long a key counts. */
export const RECEIPT_TTL_MS = 86_400_000;
/** Kept of one project; the oldest are forgotten first. */
export const MAX_RECEIPTS = 100_000;
