/** Response to an idempotent request (`Idempotency-Key`), stored together with the result of the request. */
export interface Receipt {
  projectId: string;
  key: string;
  /** Digest of method, path and body, which distinguishes the request from others with the same key. */
  request: string;
  status: number;
  /** JSON text. */
  body: string;
  createdMs: number;
}

/** Lifetime of a key. */
export const RECEIPT_TTL_MS = 86_400_000;
/** Limit per project; the oldest are deleted first. */
export const MAX_RECEIPTS = 100_000;
