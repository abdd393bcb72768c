/**
 * Port: the webhook events that still have to be sent. Rows come in with the decision they tell of (`Book.commit`), in
 * the same transaction; the dispatcher takes them out. Any number of them may wait: nothing here takes longer for it than
 * what it is asked for, but for counting. Implemented in `store/`; the contract suite is `contracts/store/outbox.ts`.
 *
 * Invariants
 *  O1 a committed delivery stays until it is delivered or forgotten as dead: also through the death of the process;
 *  O2 the deliveries of one order key stand in line in the order of their commits; only the first of a line, and those
 *     that stepped out of it, are to be sent;
 *  O3 the end of a whole (`afterPartsOf`) is not to be sent while any part of it for the same URL stands in a line; it has
 *     a line of its own, and listeners are told when it may be sent;
 *  O4 the body of a delivery never changes, so that every attempt sends the same bytes.
 */
export interface QueuedDelivery {
  id: string;
  projectId: string;
  orderKey: string;
  url: string;
  /** Who is meant by the URL: `core/receiver.ts`. */
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

/** One that was just committed, or that waited for parts of a whole and has no longer to. */
export interface DeliveryArrival extends QueuedDelivery {
  /** Nothing of its line was before it, and it has to wait for no parts: it may be sent. */
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
  /** By the number of attempts that failed: due at this time or before. */
  dueByMs: readonly number[];
  deadMs: number;
  deathCause: DeadLetterCause;
  limit: number;
}

export interface OverdueResult {
  count: number;
  /** Those for which something may be sent now that waited behind them. */
  receivers: ReadonlySet<string>;
}

/** Which of the dead are sent again: a piece of them, in the order of their deaths. */
export interface RequeueQuery {
  projectId: string;
  /** What their URL begins with. */
  urlPrefix: string;
  /** Not those that died later. */
  deadByMs: number;
  /** Those after this place, which the piece before told. */
  after?: DeadLetterCursor;
  /** How many are looked at. */
  limit: number;
  dueMs: number;
}

export interface DeadLetterCursor {
  deadMs: number;
  number: number;
}

export interface RequeueResult {
  count: number;
  receivers: ReadonlySet<string>;
  /** Where to go on; undefined: there is no more. */
  next?: DeadLetterCursor | undefined;
}

export interface DueQuery {
  nowMs: number;
  limit: number;
  /** Those that were tried most often before the others. */
  mostTriedFirst?: boolean;
}

export interface Outbox {
  /** `listener` is told of deliveries right after they were committed, in that order. Returns how to stop it. */
  subscribe(listener: (arrived: readonly DeliveryArrival[]) => void): () => void;
  /** Those for which anything waits. */
  receivers(): string[];
  /**
   * What may be sent to a receiver now, what is due longest first: of the firsts of their lines and of those that stand
   * beside, the due ones. One that was never tried is due, whatever clocks say.
   */
  due(receiver: string, query: DueQuery): QueuedDelivery[];
  /** When the next of those that were tried before is due, after `afterMs`; undefined: none is. */
  nextDueMs(receiver: string, afterMs: number): number | undefined;
  /** The first `count` of a line. */
  headOfLine(orderKey: string, count: number): QueuedDelivery[];
  /** One that is still to be sent. */
  find(id: string): QueuedDelivery | undefined;

  /** The changes below resolve when they are durable; for an id that is not there they do nothing. */
  delivered(id: string): Promise<void>;
  postpone(id: string, until: { attempts: number; dueMs: number }): Promise<void>;
  /** Leaves the line, so that its successors may pass. */
  leaveLine(id: string): Promise<void>;
  deadLetter(id: string, end: { deadMs: number; deathCause: DeadLetterCause }): Promise<void>;
  /** Buries at most `limit` of a receiver's deliveries. Their successors are the first of their lines then. */
  deadLetterOverdue(receiver: string, expiry: OverdueQuery): Promise<OverdueResult>;
  /** A dead delivery is to be sent again, beside the line, as if it had never been tried. False: no such dead one. */
  requeue(id: string, dueMs: number): Promise<boolean>;
  /**
   * Dead ones of a project are to be sent again, as if they had never been tried, at the end of their lines: those of one
   * key stay in order. Their URLs are usable again.
   */
  requeueAll(revival: RequeueQuery): Promise<RequeueResult>;

  /** The most recently buried first. */
  deadLetters(projectId: string, limit: number): DeadLetter[];
  findDeadLetter(id: string): DeadLetter | undefined;
  /** How many there are still to be sent, and how many are dead. */
  counts(): { waiting: number; dead: number };
  /** How many of a receiver there are still to be sent. */
  waitingFor(receiver: string): number;
  /** When the one that came first of those that wait was committed; undefined: none waits. */
  oldestCreatedMs(): number | undefined;

  /** URLs that answered 410. */
  isDisabled(projectId: string, url: string): boolean;
  disableUrl(projectId: string, url: string, atMs: number): Promise<void>;
  enableUrl(projectId: string, url: string): Promise<void>;
  /** The latest first. */
  disabledUrls(projectId: string): { url: string; disabledMs: number }[];
}
