/** The outbox in memory. A Map keeps its keys in the order of insertion: that order is the lines. */
import type { Delivery } from '../../core/delivery.ts';
import type {
  DeadLetter,
  DeadLetterCause,
  DeliveryArrival,
  DueQuery,
  Outbox,
  OverdueQuery,
  OverdueResult,
  QueuedDelivery,
  RequeueQuery,
  RequeueResult,
} from '../../observers/webhooks/outbox.ts';
import type { DeliveryListeners, WholeAndParts } from '../delivery-listeners.ts';

interface Kept extends QueuedDelivery {
  /** In the order in which they came. */
  number: number;
  partOf?: string;
}

interface Dead extends DeadLetter {
  number: number;
}

/** What may be sent to one receiver, each list by due time, and what is due at the same time as it came. */
interface Sendable {
  fresh: Kept[];
  tried: Kept[];
}

export class MemoryOutbox implements Outbox {
  readonly #all = new Map<string, Kept>();
  /** The deliveries of a key that stand in line; a set keeps their order. */
  readonly #lines = new Map<string, Set<Kept>>();
  readonly #sendable = new Map<string, Sendable>();
  readonly #counts = new Map<string, number>();
  readonly #dead = new Map<string, Dead>();
  readonly #disabled = new Map<string, number>();
  /** Those of a whole for one URL that stand in a line: how many, and what is sent after them. */
  readonly #parts = new Map<string, number>();
  readonly #ends = new Map<string, Kept>();
  readonly #listeners: DeliveryListeners;
  #number = 0;

  constructor(listeners: DeliveryListeners) {
    this.#listeners = listeners;
  }

  /** All or none: an id that is known already is refused. */
  add(deliveries: readonly Delivery[]): void {
    const ids = new Set<string>();
    for (const { id } of deliveries) {
      if (this.#all.has(id) || ids.has(id)) throw new Error(`there is a delivery ${id}`);
      ids.add(id);
    }
    const arrivals = deliveries.map((delivery) => this.#listeners.arrivalOf(delivery));
    for (const arrival of arrivals) arrival.isSendable = this.#insert(arrival);
  }

  tell(deliveries: readonly Delivery[]): void {
    this.#listeners.emitCommitted(deliveries);
  }

  subscribe(listener: (arrived: readonly DeliveryArrival[]) => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  receivers(): string[] {
    return [...this.#counts.keys()].sort();
  }

  due(receiver: string, { nowMs, limit, mostTriedFirst = false }: DueQuery): QueuedDelivery[] {
    const { fresh = [], tried = [] } = this.#sendable.get(receiver) ?? {};
    const old = tried.slice(0, mostTriedFirst ? placeAfter(tried, nowMs) : Math.min(limit, placeAfter(tried, nowMs)));
    return [...fresh.slice(0, limit), ...old]
      .sort((a, b) => (mostTriedFirst ? b.attempts - a.attempts : 0) || a.dueMs - b.dueMs)
      .slice(0, limit)
      .map(parcelOf);
  }

  nextDueMs(receiver: string, afterMs: number): number | undefined {
    const { tried = [] } = this.#sendable.get(receiver) ?? {};
    return tried[placeAfter(tried, afterMs)]?.dueMs;
  }

  headOfLine(orderKey: string, count: number): QueuedDelivery[] {
    const found: QueuedDelivery[] = [];
    for (const kept of this.#lines.get(orderKey) ?? []) {
      if (found.length === count) break;
      found.push(parcelOf(kept));
    }
    return found;
  }

  find(id: string): QueuedDelivery | undefined {
    const kept = this.#all.get(id);
    return kept && parcelOf(kept);
  }

  async delivered(id: string): Promise<void> {
    const kept = this.#all.get(id);
    if (kept) this.#remove(kept);
  }

  async postpone(id: string, until: { attempts: number; dueMs: number }): Promise<void> {
    const kept = this.#all.get(id);
    if (!kept) return;
    const wasSendable = this.#withdraw(kept);
    Object.assign(kept, { attempts: until.attempts, dueMs: until.dueMs });
    if (wasSendable) this.#offer(kept);
  }

  async leaveLine(id: string): Promise<void> {
    const kept = this.#all.get(id);
    if (!kept?.inLine) return;
    this.#withdraw(kept);
    this.#leaveLine(kept);
    this.#offer(kept);
  }

  async deadLetter(id: string, { deadMs, deathCause }: { deadMs: number; deathCause: DeadLetterCause }): Promise<void> {
    const kept = this.#all.get(id);
    if (!kept) return;
    this.#remove(kept);
    this.#dead.set(id, { ...parcelOf(kept), inLine: false, deadMs, deathCause, number: ++this.#number });
  }

  async deadLetterOverdue(receiver: string, { dueByMs, limit, ...end }: OverdueQuery): Promise<OverdueResult> {
    const { fresh = [], tried = [] } = this.#sendable.get(receiver) ?? {};
    const chosen = [...fresh, ...tried]
      .filter(({ attempts, dueMs }) => dueMs <= (dueByMs[attempts] ?? Number.NEGATIVE_INFINITY))
      .slice(0, limit);
    const receivers = new Set<string>();
    for (const { id, orderKey } of chosen) {
      await this.deadLetter(id, end);
      const [next] = this.headOfLine(orderKey, 1);
      if (next) receivers.add(next.receiver);
    }
    return { count: chosen.length, receivers };
  }

  async requeue(id: string, dueMs: number): Promise<boolean> {
    const dead = this.#dead.get(id);
    if (!dead) return false;
    this.#dead.delete(id);
    this.#insert({ ...parcelOf(dead), attempts: 0, dueMs, inLine: false });
    return true;
  }

  async requeueAll({ projectId, urlPrefix, deadByMs, after, limit, dueMs }: RequeueQuery): Promise<RequeueResult> {
    const piece = [...this.#dead.values()]
      .filter((dead) => dead.projectId === projectId && dead.deadMs <= deadByMs)
      .filter(
        ({ deadMs, number }) => !after || deadMs > after.deadMs || (deadMs === after.deadMs && number > after.number),
      )
      .sort((a, b) => a.deadMs - b.deadMs || a.number - b.number)
      .slice(0, limit);
    const chosen = piece.filter(({ url }) => url.startsWith(urlPrefix));
    for (const dead of chosen) {
      this.#dead.delete(dead.id);
      this.#disabled.delete(urlKey(projectId, dead.url));
      this.#insert({ ...parcelOf(dead), attempts: 0, dueMs, inLine: true });
    }
    const last = piece.length < limit ? undefined : piece.at(-1);
    return {
      count: chosen.length,
      receivers: new Set(chosen.map(({ receiver }) => receiver)),
      next: last && { deadMs: last.deadMs, number: last.number },
    };
  }

  deadLetters(projectId: string, limit: number): DeadLetter[] {
    return [...this.#dead.values()]
      .filter((dead) => dead.projectId === projectId)
      .sort((a, b) => b.deadMs - a.deadMs || b.number - a.number)
      .slice(0, limit)
      .map(deadOf);
  }

  findDeadLetter(id: string): DeadLetter | undefined {
    const dead = this.#dead.get(id);
    return dead && deadOf(dead);
  }

  counts(): { waiting: number; dead: number } {
    return { waiting: this.#all.size, dead: this.#dead.size };
  }

  waitingFor(receiver: string): number {
    return this.#counts.get(receiver) ?? 0;
  }

  oldestCreatedMs(): number | undefined {
    return this.#all.values().next().value?.createdMs;
  }

  isDisabled(projectId: string, url: string): boolean {
    return this.#disabled.has(urlKey(projectId, url));
  }

  async disableUrl(projectId: string, url: string, atMs: number): Promise<void> {
    this.#disabled.set(urlKey(projectId, url), atMs);
  }

  async enableUrl(projectId: string, url: string): Promise<void> {
    this.#disabled.delete(urlKey(projectId, url));
  }

  disabledUrls(projectId: string): { url: string; disabledMs: number }[] {
    const prefix = urlKey(projectId, '');
    return [...this.#disabled]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, disabledMs]) => ({ url: key.slice(prefix.length), disabledMs }))
      .sort((one, other) => other.disabledMs - one.disabledMs || (one.url < other.url ? -1 : 1));
  }

  forget(beforeMs: number): { deliveries: number; urls: number } {
    const dead = [...this.#dead.values()].filter(({ deadMs }) => deadMs < beforeMs);
    for (const { id } of dead) this.#dead.delete(id);
    const urls = [...this.#disabled].filter(([, disabledMs]) => disabledMs < beforeMs);
    for (const [key] of urls) this.#disabled.delete(key);
    return { deliveries: dead.length, urls: urls.length };
  }

  /** Whether it is the first of its line, or beside. */
  #insert({ partOf, afterPartsOf, ...delivery }: QueuedDelivery & WholeAndParts): boolean {
    const kept: Kept = { ...parcelOf(delivery), number: ++this.#number, ...(partOf === undefined ? {} : { partOf }) };
    this.#all.set(kept.id, kept);
    this.#counts.set(kept.receiver, this.waitingFor(kept.receiver) + 1);
    if (kept.inLine) {
      const line = this.#lines.get(kept.orderKey) ?? new Set();
      this.#lines.set(kept.orderKey, line.add(kept));
      if (partOf !== undefined) this.#parts.set(urlKey(partOf, kept.url), this.#partsLeft(partOf, kept.url) + 1);
      if (line.size > 1) return false;
    }
    if (afterPartsOf !== undefined && this.#partsLeft(afterPartsOf, kept.url) > 0) {
      this.#ends.set(urlKey(afterPartsOf, kept.url), kept);
      return false;
    }
    this.#offer(kept);
    return true;
  }

  #partsLeft(whole: string, url: string): number {
    return this.#parts.get(urlKey(whole, url)) ?? 0;
  }

  /** It has left its line. */
  #partIsGone({ partOf, url }: Kept): void {
    if (partOf === undefined) return;
    const key = urlKey(partOf, url);
    const left = this.#partsLeft(partOf, url) - 1;
    if (left > 0) {
      this.#parts.set(key, left);
      return;
    }
    this.#parts.delete(key);
    const end = this.#ends.get(key);
    this.#ends.delete(key);
    if (!end || !this.#all.has(end.id)) return;
    this.#offer(end);
    this.#listeners.emit([{ ...parcelOf(end), isSendable: true }]);
  }

  #remove(kept: Kept): void {
    this.#all.delete(kept.id);
    const left = this.waitingFor(kept.receiver) - 1;
    if (left > 0) this.#counts.set(kept.receiver, left);
    else this.#counts.delete(kept.receiver);
    this.#withdraw(kept);
    if (kept.inLine) this.#leaveLine(kept);
    if (left === 0) this.#sendable.delete(kept.receiver);
  }

  #leaveLine(kept: Kept): void {
    const line = this.#lines.get(kept.orderKey);
    const wasFirst = line?.values().next().value === kept;
    kept.inLine = false;
    line?.delete(kept);
    if (line?.size === 0) this.#lines.delete(kept.orderKey);
    const next = wasFirst && line?.values().next().value;
    if (next) this.#offer(next);
    this.#partIsGone(kept);
  }

  #offer(kept: Kept): void {
    let sendable = this.#sendable.get(kept.receiver);
    if (!sendable) {
      sendable = { fresh: [], tried: [] };
      this.#sendable.set(kept.receiver, sendable);
    }
    const list = listOf(sendable, kept);
    list.splice(placeAfter(list, kept.dueMs, kept.number), 0, kept);
  }

  /** Whether it could be sent. */
  #withdraw(kept: Kept): boolean {
    const sendable = this.#sendable.get(kept.receiver);
    if (!sendable) return false;
    const list = listOf(sendable, kept);
    const index = placeAfter(list, kept.dueMs, kept.number) - 1;
    if (list[index] !== kept) return false;
    list.splice(index, 1);
    return true;
  }
}

const listOf = ({ fresh, tried }: Sendable, { attempts }: Kept): Kept[] => (attempts === 0 ? fresh : tried);

/** How many of a list are due, and of those of this very time not after `number`: by both a list is sorted. */
function placeAfter(list: readonly Kept[], dueMs: number, number = Number.POSITIVE_INFINITY): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = list[middle]!;
    if (one.dueMs < dueMs || (one.dueMs === dueMs && one.number <= number)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const urlKey = (projectId: string, url: string): string => `${projectId} ${url}`;

const parcelOf = (delivery: QueuedDelivery): QueuedDelivery => ({
  id: delivery.id,
  projectId: delivery.projectId,
  orderKey: delivery.orderKey,
  url: delivery.url,
  receiver: delivery.receiver,
  createdMs: delivery.createdMs,
  attempts: delivery.attempts,
  dueMs: delivery.dueMs,
  inLine: delivery.inLine,
  body: delivery.body,
});

const deadOf = ({ deadMs, deathCause, ...dead }: Dead): DeadLetter => ({ ...parcelOf(dead), deadMs, deathCause });
