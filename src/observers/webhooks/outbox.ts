/**
 * Port: the webhook events that still have to be sent. Rows come in with the decision they tell of (`Book.commit`), in
 * the same transaction; the dispatcher takes them out. Implemented in `store/`; the contract suite is
 * `testkit/outbox-contract.ts`.
 *
 * Invariants
 *  O1 a committed delivery stays until it is delivered or forgotten as dead: also through the death of the process;
 *  O2 the deliveries of one order key stand in line in the order of their commits; only the first of a line, and those
 *     that stepped out of it, are to be sent;
 *  O3 the body of a delivery never changes, so that every attempt sends the same bytes.
 */
import type { Delivery } from '../../core/delivery.ts';

/** Where a delivery stands, without its body: there may be many, and they are kept in memory. */
export interface Standing {
  id: string;
  projectId: string;
  orderKey: string;
  url: string;
  createdMs: number;
  /** Attempts that failed so far. */
  attempts: number;
  /** Not to be sent before. */
  dueMs: number;
  /** False: it let its successors pass and is retried beside the line. */
  inLine: boolean;
}

export interface Parcel extends Standing {
  /** JSON text. */
  body: string;
}

/** Why a delivery was given up. */
export type DeathCause =
  /** Every retry failed. */
  | 'exhausted'
  /** The receiver answered 410, now or to an earlier delivery to the same URL. */
  | 'gone'
  /** The URL cannot be used, or leads to an address that is not allowed. */
  | 'refused'
  /** The project is gone, or has no secret to sign with. */
  | 'unsigned';

export interface DeadDelivery extends Parcel {
  deadMs: number;
  deathCause: DeathCause;
}

export interface Outbox {
  /** `listener` is told of deliveries right after they were committed, in that order. Returns how to stop it. */
  subscribe(listener: (committed: readonly Delivery[]) => void): () => void;
  /** The first of every line, and all that stand beside: where to begin after a start. */
  startable(): Standing[];
  /** The first `count` of a line. */
  line(orderKey: string, count: number): Standing[];
  /** One that is still to be sent. */
  read(id: string): Parcel | undefined;

  /** The changes below resolve when they are durable; for an id that is not there they do nothing. */
  delivered(id: string): Promise<void>;
  postpone(id: string, until: { attempts: number; dueMs: number }): Promise<void>;
  /** Leaves the line, so that its successors may pass. */
  stepAside(id: string): Promise<void>;
  bury(id: string, end: { deadMs: number; deathCause: DeathCause }): Promise<void>;
  /** A dead delivery is to be sent again, beside the line, as if it had never been tried. False: no such dead one. */
  revive(id: string, dueMs: number): Promise<boolean>;

  /** The most recently buried first. */
  dead(projectId: string, limit: number): DeadDelivery[];
  deadOne(id: string): DeadDelivery | undefined;
  /** How many there are still to be sent, and how many are dead. */
  counts(): { waiting: number; dead: number };

  /** URLs that answered 410. */
  isDisabled(projectId: string, url: string): boolean;
  disableUrl(projectId: string, url: string, atMs: number): Promise<void>;
  enableUrl(projectId: string, url: string): Promise<void>;
  /** The latest first. */
  disabledUrls(projectId: string): { url: string; disabledMs: number }[];
}
