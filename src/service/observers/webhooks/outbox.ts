/**
 * Port: pending webhook events. Rows are inserted with the decision that they report (`CallStore.commit`), in the same
 * transaction; the dispatcher removes them. Except for counting, no operation slows down with the number of rows.
 * Implemented in `store/`; the contract suite is `test/contracts/store/outbox.ts`.
 *
 * Invariants
 *  - A committed delivery stays until it is delivered or an expired dead letter, even if the process dies.
 *  - The deliveries of one order key form a line in the order of their commits; only the head of a line, and deliveries
 *    that left their line, may be sent.
 *  - The end of a whole (`afterPartsOf`) may not be sent while any part of it for the same URL is in a line; it has a
 *    separate line, and subscribers get it again when it may be sent.
 *  - The body of a delivery never changes, so that every attempt sends the same bytes.
 */
import type { Delivery } from '../../../base/core/delivery.ts';

export interface QueuedDelivery {
  id: string;
  projectId: string;
  orderKey: string;
  url: string;
  /** Receiver of the URL: see `base/core/receiver.ts`. */
  receiver: string;
  createdMs: number;
  /** Failed attempts so far. */
  attempts: number;
  /** Earliest time of the next attempt. */
  dueMs: number;
  /** False if it let its successors pass and is retried outside of the line. */
  inLine: boolean;
  /** JSON text. */
  body: string;
}

/** A delivery that was just committed, or no longer has to wait for the parts of its whole. */
export interface DeliveryArrival extends QueuedDelivery {
  /** False if it waits for others of its line, or for the parts of its whole. */
  isSendable: boolean;
}

/** Reason why a delivery became a dead letter. */
export type DeadLetterCause =
  /** Every retry failed. */
  | 'exhausted'
  /** The receiver responded with 410, now or to an earlier delivery to the same URL. */
  | 'gone'
  /** The URL is unusable, or resolves to an address that is not allowed. */
  | 'refused'
  /** The project is gone, or has no secret to sign with. */
  | 'unsigned';

export interface DeadLetter extends QueuedDelivery {
  deadMs: number;
  deathCause: DeadLetterCause;
}

/** Selects the deliveries of a receiver to dead-letter: those that may be sent, and were due too long ago. */
export interface OverdueQuery {
  /** Latest due time of a delivery, by the number of its failed attempts. */
  dueByMs: readonly number[];
  deadMs: number;
  deathCause: DeadLetterCause;
  limit: number;
}

export interface OverdueResult {
  count: number;
  /** Receivers with a delivery that may be sent now, because its predecessor was dead-lettered. */
  receivers: ReadonlySet<string>;
}

/** Selects a batch of dead letters to requeue, oldest death first. */
export interface RequeueQuery {
  projectId: string;
  /** Prefix of their URL. */
  urlPrefix: string;
  /** Excludes later dead letters. */
  deadByMs: number;
  /** `next` of the previous batch. */
  after?: DeadLetterCursor | undefined;
  /** Maximum number examined. */
  limit: number;
  dueMs: number;
}

export interface DeadLetterCursor {
  deadMs: number;
  number: number;
}

export interface RequeueResult extends OverdueResult {
  /** Undefined after the last batch. */
  next?: DeadLetterCursor | undefined;
}

export interface DueQuery {
  nowMs: number;
  limit: number;
  /** Returns deliveries with most attempts first. */
  mostTriedFirst?: boolean;
}

export interface Outbox {
  /**
   * Calls `listener` with deliveries right after each commit, in the order of the commits. Returns a function that
   * unsubscribes.
   */
  subscribe(listener: (arrived: readonly DeliveryArrival[]) => void): () => void;
  /**
   * If several nodes share the outbox: calls `listener` with receivers for which another node has called `wake`.
   * Returns a function that unsubscribes.
   */
  onWake?(listener: (receivers: readonly string[]) => void): () => void;
  /** Hints to the node that serves a receiver that a delivery may be sent; the hint may get lost. */
  wake?(receiver: string): void;
  /** Receivers with pending deliveries. */
  receivers(): Promise<string[]>;
  /**
   * Deliveries that may be sent to a receiver now, in the order of their due times. A delivery without attempts is
   * always due.
   */
  due(receiver: string, query: DueQuery): Promise<QueuedDelivery[]>;
  /** Next due time after `afterMs` of deliveries with failed attempts. Undefined if there is none. */
  nextDueMs(receiver: string, afterMs: number): Promise<number | undefined>;
  /** First `count` deliveries of a line. */
  headOfLine(orderKey: string, count: number): Promise<QueuedDelivery[]>;
  /** Finds a pending delivery. */
  find(id: string): Promise<QueuedDelivery | undefined>;

  /** Adds deliveries that are not written with a call or broadcast. */
  add(deliveries: readonly Delivery[]): Promise<void>;

  /** The changes below are durable when they resolve, and have no effect for an unknown id. */
  delivered(id: string): Promise<void>;
  postpone(id: string, until: { attempts: number; dueMs: number }): Promise<void>;
  /** Moves the delivery out of its line, so that its successors may pass. */
  leaveLine(id: string): Promise<void>;
  deadLetter(id: string, end: { deadMs: number; deathCause: DeadLetterCause }): Promise<void>;
  /** Dead-letters at most `limit` of a receiver's deliveries. */
  deadLetterOverdue(receiver: string, query: OverdueQuery): Promise<OverdueResult>;
  /** Requeues a dead letter outside of its line, with no attempts counted. False if it does not exist. */
  requeue(id: string, dueMs: number): Promise<boolean>;
  /**
   * Requeues dead letters of a project at the end of their lines, with no attempts counted: those of one key stay in
   * order. Enables their URLs.
   */
  requeueAll(query: RequeueQuery): Promise<RequeueResult>;

  /** Dead letters of a project, latest first. */
  deadLetters(projectId: string, limit: number): Promise<DeadLetter[]>;
  findDeadLetter(id: string): Promise<DeadLetter | undefined>;
  /** Counts of pending deliveries and dead letters. */
  counts(): Promise<{ waiting: number; dead: number }>;
  /** Count of pending deliveries of a receiver. */
  waitingFor(receiver: string): Promise<number>;
  /** Creation time of the pending delivery that was committed first. Undefined if there is none. */
  oldestCreatedMs(): Promise<number | undefined>;

  /** True if the URL is disabled, because it responded with 410. */
  isDisabled(projectId: string, url: string): Promise<boolean>;
  disableUrl(projectId: string, url: string, atMs: number): Promise<void>;
  enableUrl(projectId: string, url: string): Promise<void>;
  /** Disabled URLs of a project, latest first. */
  disabledUrls(projectId: string): Promise<{ url: string; disabledMs: number }[]>;
}
