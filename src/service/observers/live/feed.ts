/**
 * Event feed of one project: events are numbered, kept for a minute, and sent to readers in batches. Each reader has a
 * cursor. Neighbours: `live.ts` produces the events; the API's event stream is a reader.
 *
 * Invariants
 *  - A reader that resumes at its cursor gets every later event once, or a `reset` if that is impossible.
 *  - Adding an event never waits for a reader, and the bytes buffered for one reader are bounded (`MAX_WAITING_BYTES`).
 *  - Readers with the same cursor get the same bytes, produced once. With more readers, batches become less frequent,
 *    because a batch costs one write per reader.
 *  - Without readers there is neither a timer nor work, except during the minute in which a reader may resume.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { JsonObject } from '../../../base/core/json.ts';

export interface LiveEvent {
  /** `reset`: events were missed, so that the client must read the state again. */
  name: 'call' | 'step' | 'ended' | 'broadcast' | 'reset';
  data: JsonObject;
  /** Flows that it concerns: readers of one flow get no others. Absent: all flows. */
  flows?: readonly string[];
}

/** Sink of events: the response to a request. */
export interface LiveReader {
  /** The bytes are shared with other readers, and must not be changed. */
  send(piece: string | Buffer): void;
  /** Bytes buffered in the socket. */
  readonly waitingBytes: number;
  /** Ends the stream, because the reader is too slow or the service stops. */
  end(): void;
}

export interface ReaderOptions {
  /** Restricts the stream to this flow. */
  flow?: string;
  /** Id of the last event received from an earlier stream. */
  lastId?: string;
  /** True for another node, which gets only the events of this one, with their flows. */
  isNode?: boolean;
}

/** Interval between batches. */
const BATCH_MS = { least: 100, perReader: 25, most: 250 };
const HISTORY_MS = 60_000;
/** Memory limit of the history: with many events it covers less than a minute. */
const MAX_HISTORY_BYTES = 8 * 2 ** 20;
const HEARTBEAT_MS = 15_000;
const MAX_WAITING_BYTES = 64 * 2 ** 10;
/** A reader that accepts nothing for this long is dropped. */
const STUCK_MS = 10_000;
/** Reconnection delay for browsers, in ms. */
const RETRY = 'retry: 1000\n';

interface KeptEvent {
  seq: number;
  atMs: number;
  text: string;
  bytes: number;
  flows: readonly string[] | undefined;
  isReset: boolean;
  /** True for an event of another node. */
  isForeign: boolean;
}

/** Data sent to a reader at once. */
interface Batch {
  /** Empty if no event concerns the reader, or there is no room for it. */
  bytes: Buffer;
  /** The reader's cursor after the batch. */
  cursor: number;
}

interface OpenReader {
  reader: LiveReader;
  flow: string | undefined;
  isNode: boolean;
  /** Last event that was sent to the reader or did not concern it. */
  cursor: number;
  /** Time since which there is no room for its next event. */
  stuckSinceMs: number | undefined;
}

export class LiveFeed {
  readonly #clock: Clock;
  readonly #onIdle: () => void;
  /** Distinguishes event ids of this feed from those of an earlier one. */
  readonly #epoch: string;
  readonly #readers = new Set<OpenReader>();
  #history: KeptEvent[] = [];
  /** Index of the first kept event; earlier ones are dropped. */
  #first = 0;
  #historyBytes = 0;
  #lastSeq = 0;
  #batch: Timer | undefined;
  #heartbeat: Timer | undefined;
  #idle: Timer | undefined;

  /** `onIdle` is called when there has been no reader for so long that none can resume. */
  constructor(clock: Clock, onIdle: () => void) {
    this.#clock = clock;
    this.#onIdle = onIdle;
    this.#epoch = Math.floor(clock.now()).toString(36);
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** `isForeign`: the event is from another node. */
  add({ name, data, flows }: LiveEvent, isForeign = false): void {
    const isReset = name === 'reset';
    if (isReset && this.#history.at(-1)?.isReset) return;
    const seq = ++this.#lastSeq;
    const text = `id: ${this.#id(seq)}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    const bytes = Buffer.byteLength(text);
    const kept = { seq, atMs: this.#clock.monotonicMs(), text, bytes, flows, isReset, isForeign };
    this.#history.push(kept);
    this.#historyBytes += kept.bytes;
    this.#forgetOld();
    if (this.#readers.size > 0) this.#schedule();
  }

  /** Returns a function that closes the reader. */
  open(reader: LiveReader, { flow, lastId, isNode = false }: ReaderOptions): () => void {
    this.#forgetOld();
    const last = this.#resumable(lastId);
    const cursor = last ?? this.#lastSeq;
    const open: OpenReader = { reader, flow, isNode, cursor, stuckSinceMs: undefined };
    this.#idle?.cancel();
    this.#readers.add(open);
    this.#heartbeat ??= this.#clock.after(HEARTBEAT_MS, () => this.#beat());
    const greeting = `${RETRY}id: ${this.#id(open.cursor)}\n`;
    reader.send(last === undefined ? `${greeting}event: reset\ndata: {}\n\n` : `${greeting}\n`);
    if (open.cursor < this.#lastSeq) this.#schedule();
    return () => this.#forget(open);
  }

  close(): void {
    for (const open of this.#readers) this.#drop(open);
    this.#idle?.cancel();
  }

  #id(seq: number): string {
    return `${this.#epoch}-${seq}`;
  }

  /** Sequence number of the event, if all later events are still kept. */
  #resumable(id: string | undefined): number | undefined {
    const [, epoch, digits] = /^([0-9a-z]{1,12})-(\d{1,15})$/.exec(id ?? '') ?? [];
    const seq = Number(digits);
    return epoch === this.#epoch && seq <= this.#lastSeq && seq >= this.#forgottenSeq ? seq : undefined;
  }

  /** Last event that is no longer kept. */
  get #forgottenSeq(): number {
    return this.#lastSeq - (this.#history.length - this.#first);
  }

  #forgetOld(): void {
    const oldestMs = this.#clock.monotonicMs() - HISTORY_MS;
    for (let kept = this.#history[this.#first]; kept; kept = this.#history[this.#first]) {
      if (kept.atMs >= oldestMs && this.#historyBytes <= MAX_HISTORY_BYTES) break;
      this.#historyBytes -= kept.bytes;
      this.#first++;
    }
    if (this.#first < 1024 || this.#first < this.#history.length / 2) return;
    this.#history = this.#history.slice(this.#first);
    this.#first = 0;
  }

  #schedule(): void {
    const { least, perReader, most } = BATCH_MS;
    const delayMs = Math.min(most, Math.max(least, perReader * this.#readers.size));
    this.#batch ??= this.#clock.after(delayMs, () => {
      this.#batch = undefined;
      const batches = new Map<string, Batch>();
      for (const open of this.#readers) this.#sendTo(open, batches);
      if ([...this.#readers].some(({ cursor }) => cursor < this.#lastSeq)) this.#schedule();
    });
  }

  /**
   * Sends as much as there is room for; the rest remains in the history, which all readers share. `batches`: batches
   * already made.
   */
  #sendTo(open: OpenReader, batches: Map<string, Batch>): void {
    const { reader, cursor } = open;
    if (cursor < this.#forgottenSeq) {
      this.#drop(open);
      return;
    }
    const room = MAX_WAITING_BYTES - reader.waitingBytes;
    const key = `${cursor} ${room} ${open.isNode} ${open.flow ?? ''}`;
    const batch = batches.get(key) ?? this.#batchAfter(open, room);
    batches.set(key, batch);
    open.cursor = batch.cursor;
    if (batch.bytes.length > 0) reader.send(batch.bytes);
    this.#checkSpeed(open, open.cursor < this.#lastSeq && batch.bytes.length === 0);
  }

  #batchAfter({ cursor: last, flow, isNode }: OpenReader, room: number): Batch {
    let cursor = last;
    let left = room;
    let text = '';
    for (let index = this.#history.length - (this.#lastSeq - last); index < this.#history.length; index++) {
      const kept = this.#history[index]!;
      const concerns = flow === undefined || kept.flows === undefined || kept.flows.includes(flow);
      if (isNode ? !kept.isForeign : concerns) {
        if (kept.bytes > left) break;
        left -= kept.bytes;
        text += isNode ? `flows: ${JSON.stringify(kept.flows ?? null)}\n${kept.text}` : kept.text;
      }
      cursor = kept.seq;
    }
    return { bytes: Buffer.from(text), cursor };
  }

  #checkSpeed(open: OpenReader, isStuck: boolean): void {
    const nowMs = this.#clock.monotonicMs();
    open.stuckSinceMs = isStuck ? (open.stuckSinceMs ?? nowMs) : undefined;
    if (open.stuckSinceMs !== undefined && nowMs - open.stuckSinceMs >= STUCK_MS) this.#drop(open);
  }

  /**
   * Keeps proxies from closing an idle stream, and advances the event id past events that did not concern the reader.
   */
  #beat(): void {
    for (const { reader, cursor } of this.#readers) {
      if (reader.waitingBytes < MAX_WAITING_BYTES) reader.send(`:\nid: ${this.#id(cursor)}\n\n`);
    }
    this.#heartbeat = this.#clock.after(HEARTBEAT_MS, () => this.#beat());
  }

  #drop(open: OpenReader): void {
    this.#forget(open);
    open.reader.end();
  }

  #forget(open: OpenReader): void {
    if (!this.#readers.delete(open) || this.#readers.size > 0) return;
    for (const timer of [this.#heartbeat, this.#batch]) timer?.cancel();
    this.#heartbeat = undefined;
    this.#batch = undefined;
    this.#idle = this.#clock.after(HISTORY_MS, this.#onIdle);
  }
}
