/**
 * Port: the webhook events that still have to be sent. Rows come in with the decision they report (`CallStore.commit`), in
 * the same transaction; the dispatcher takes them out. Any number of them may wait: apart from counting, nothing here takes
 * longer because of that. Implemented in `store/`; the contract suite is `test/contracts/store/outbox.ts`.
 *
 * Invariants
 *  - a committed delivery stays until it is delivered or forgotten as a dead letter, also when the process dies;
 *  - the deliveries of one order key form a line in the order of their commits; only the head of a line may be sent, and
 *    what left its line;
 *  - the end of a whole (`afterPartsOf`) may not be sent while any part of it for the same URL is in a line; it has a line
 *    of its own, and subscribers get it again when it may be sent;
 *  - the body of a delivery never changes, so that every attempt sends the same bytes.
 */
import type { Delivery } from '../../core/delivery.ts';

export interface QueuedDelivery {
  id: string;
  projectId: string;
  orderKey: string;
  url: string;
  /** The receiver that the URL belongs to: `core/receiver.ts`. */
  receiver: string;
  createdMs: number;
  /** Attempts that failed so far. */
  attempts: number;
  /** Not to be sent before. */
  dueMs: number;
  /** False: it let its successors pass and is retried beside the line. */
  inLine: boolean;
  /** JSON text. */
  body: string;
}

/** What was just committed, or need not wait for the parts of its whole any longer. */
export interface DeliveryArrival extends QueuedDelivery {
  /** False: it waits for others of its line, or for the parts of its whole. */
  isSendable: boolean;
}

/** Why a delivery was given up. */
export type DeadLetterCause =
  /** Every retry failed. */
  | 'exhausted'
  /** The receiver answered 410, now or to an earlier delivery to the same URL. */
  | 'gone'
  /** The URL cannot be used, or leads to an address that is not allowed. */
  | 'refused'
  /** The project is gone, or has no secret to sign with. */
  | 'unsigned';

export interface DeadLetter extends QueuedDelivery {
  deadMs: number;
  deathCause: DeadLetterCause;
}

/** Which of a receiver's deliveries are given up: those that may be sent, and were due too long ago. */
export interface OverdueQuery {
  /** By the number of failed attempts: due at this time or before. */
  dueByMs: readonly number[];
  deadMs: number;
  deathCause: DeadLetterCause;
  limit: number;
}

export interface OverdueResult {
  count: number;
  /** Receivers to which something may be sent now that waited behind what was given up. */
  receivers: ReadonlySet<string>;
}

/** Which dead letters are sent again: a batch of them, those first that were given up first. */
export interface RequeueQuery {
  projectId: string;
  /** What their URL begins with. */
  urlPrefix: string;
  /** Not those that were given up later. */
  deadByMs: number;
  /** `next` of the batch before. */
  after?: DeadLetterCursor | undefined;
  /** How many are looked at. */
  limit: number;
  dueMs: number;
}

export interface DeadLetterCursor {
  deadMs: number;
  number: number;
}

export interface RequeueResult extends OverdueResult {
  /** Undefined: there is no more. */
  next?: DeadLetterCursor | undefined;
}

export interface DueQuery {
  nowMs: number;
  limit: number;
  /** Those that were tried most often before the others. */
  mostTriedFirst?: boolean;
}

export interface Outbox {
  /** Calls `listener` with deliveries right after each commit, in the order of the commits. Returns how to stop that. */
  subscribe(listener: (arrived: readonly DeliveryArrival[]) => void): () => void;
  /**
   * Where several nodes share the outbox: calls `listener` with receivers for which another node has called `wake`. Returns
   * how to stop that.
   */
  onWake?(listener: (receivers: readonly string[]) => void): () => void;
  /** Something may be sent to a receiver that another node serves: a hint to that one, which may get lost. */
  wake?(receiver: string): void;
  /** Those for which anything waits. */
  receivers(): Promise<string[]>;
  /**
   * What may be sent to a receiver now, what was due first before the rest. A delivery that was never tried is due,
   * whatever clocks say.
   */
  due(receiver: string, query: DueQuery): Promise<QueuedDelivery[]>;
  /** When the next of those that were tried before is due, after `afterMs`; undefined: none is. */
  nextDueMs(receiver: string, afterMs: number): Promise<number | undefined>;
  /** The first `count` of a line. */
  headOfLine(orderKey: string, count: number): Promise<QueuedDelivery[]>;
  /** One that is still to be sent. */
  find(id: string): Promise<QueuedDelivery | undefined>;

  /** Puts in line what no call and no broadcast reports; those report with what they write. */
  add(deliveries: readonly Delivery[]): Promise<void>;

  /** The changes below resolve when they are durable; for an unknown id they do nothing. */
  delivered(id: string): Promise<void>;
  postpone(id: string, until: { attempts: number; dueMs: number }): Promise<void>;
  /** Leaves the line, so that its successors may pass. */
  leaveLine(id: string): Promise<void>;
  deadLetter(id: string, end: { deadMs: number; deathCause: DeadLetterCause }): Promise<void>;
  /** Gives up at most `limit` of a receiver's deliveries. */
  deadLetterOverdue(receiver: string, query: OverdueQuery): Promise<OverdueResult>;
  /** A dead letter is sent again, beside the line, as if it had never been tried. False: there is no such dead letter. */
  requeue(id: string, dueMs: number): Promise<boolean>;
  /**
   * Dead letters of a project are sent again, as if they had never been tried, at the end of their lines: those of one key
   * stay in order. Their URLs are usable again.
   */
  requeueAll(query: RequeueQuery): Promise<RequeueResult>;

  /** Those first that were given up last. */
  deadLetters(projectId: string, limit: number): Promise<DeadLetter[]>;
  findDeadLetter(id: string): Promise<DeadLetter | undefined>;
  /** How many are still to be sent, and how many were given up. */
  counts(): Promise<{ waiting: number; dead: number }>;
  /** How many are still to be sent to a receiver. */
  waitingFor(receiver: string): Promise<number>;
  /** When the one that was committed first of those that wait was created; undefined: none waits. */
  oldestCreatedMs(): Promise<number | undefined>;

  /** URLs that answered 410. */
  isDisabled(projectId: string, url: string): Promise<boolean>;
  disableUrl(projectId: string, url: string, atMs: number): Promise<void>;
  enableUrl(projectId: string, url: string): Promise<void>;
  /** Those first that were disabled last. */
  disabledUrls(projectId: string): Promise<{ url: string; disabledMs: number }[]>;
}
