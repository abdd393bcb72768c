/** The outbox in memory. A Map keeps its keys in the order of insertion: that order is the lines. */
import type { Delivery } from '../../core/delivery.ts';
import type { DeadDelivery, DeathCause, Outbox, Parcel, Standing } from '../../observers/webhooks/outbox.ts';
import type { Listeners } from '../listeners.ts';

interface Death {
  deadMs: number;
  deathCause: DeathCause;
}

interface Kept extends Parcel {
  death?: Death | undefined;
}

export class MemoryOutbox implements Outbox {
  readonly #all = new Map<string, Kept>();
  /** The deliveries of a key that stand in line; a set keeps their order. */
  readonly #lines = new Map<string, Set<Kept>>();
  readonly #disabled = new Map<string, number>();
  readonly #listeners: Listeners;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  /** All or none: an id that is known already is refused. */
  add(deliveries: readonly Delivery[]): void {
    const fresh = new Map<string, Kept>();
    for (const { id, projectId, orderKey, url, payload, createdMs } of deliveries) {
      if (this.#all.has(id) || fresh.has(id)) throw new Error(`there is a delivery ${id}`);
      const body = JSON.stringify(payload);
      fresh.set(id, { id, projectId, orderKey, url, createdMs, attempts: 0, dueMs: createdMs, inLine: true, body });
    }
    for (const [id, kept] of fresh) {
      this.#all.set(id, kept);
      const line = this.#lines.get(kept.orderKey) ?? new Set();
      this.#lines.set(kept.orderKey, line.add(kept));
    }
  }

  tell(deliveries: readonly Delivery[]): void {
    this.#listeners.tell(deliveries);
  }

  subscribe(listener: (committed: readonly Delivery[]) => void): () => void {
    return this.#listeners.add(listener);
  }

  startable(): Standing[] {
    const firsts = new Set([...this.#lines.values()].map((line) => line.values().next().value));
    return [...this.#all.values()].filter((kept) => firsts.has(kept) || (!kept.inLine && !kept.death)).map(standingOf);
  }

  line(orderKey: string, count: number): Standing[] {
    const found: Standing[] = [];
    for (const kept of this.#lines.get(orderKey) ?? []) {
      if (found.length === count) break;
      found.push(standingOf(kept));
    }
    return found;
  }

  read(id: string): Parcel | undefined {
    const kept = this.#living(id);
    return kept && { ...standingOf(kept), body: kept.body };
  }

  async delivered(id: string): Promise<void> {
    const kept = this.#living(id);
    if (!kept) return;
    this.#all.delete(id);
    this.#leaveLine(kept);
  }

  async postpone(id: string, until: { attempts: number; dueMs: number }): Promise<void> {
    const kept = this.#living(id);
    if (kept) Object.assign(kept, { attempts: until.attempts, dueMs: until.dueMs });
  }

  async stepAside(id: string): Promise<void> {
    const kept = this.#living(id);
    if (kept) this.#leaveLine(kept);
  }

  async bury(id: string, { deadMs, deathCause }: Death): Promise<void> {
    const kept = this.#living(id);
    if (!kept) return;
    kept.death = { deadMs, deathCause };
    this.#leaveLine(kept);
  }

  async revive(id: string, dueMs: number): Promise<boolean> {
    const kept = this.#all.get(id);
    if (!kept?.death) return false;
    Object.assign(kept, { death: undefined, attempts: 0, dueMs });
    return true;
  }

  dead(projectId: string, limit: number): DeadDelivery[] {
    return [...this.#all.values()]
      .filter((kept) => kept.projectId === projectId)
      .flatMap(deadOf)
      .reverse()
      .sort((a, b) => b.deadMs - a.deadMs)
      .slice(0, limit);
  }

  deadOne(id: string): DeadDelivery | undefined {
    const kept = this.#all.get(id);
    return kept && deadOf(kept)[0];
  }

  counts(): { waiting: number; dead: number } {
    const dead = [...this.#all.values()].filter(({ death }) => death !== undefined).length;
    return { waiting: this.#all.size - dead, dead };
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
    const dead = [...this.#all.values()].filter(({ death }) => death !== undefined && death.deadMs < beforeMs);
    for (const { id } of dead) this.#all.delete(id);
    const urls = [...this.#disabled].filter(([, disabledMs]) => disabledMs < beforeMs);
    for (const [key] of urls) this.#disabled.delete(key);
    return { deliveries: dead.length, urls: urls.length };
  }

  #living(id: string): Kept | undefined {
    const kept = this.#all.get(id);
    return kept?.death ? undefined : kept;
  }

  #leaveLine(kept: Kept): void {
    kept.inLine = false;
    const line = this.#lines.get(kept.orderKey);
    line?.delete(kept);
    if (line?.size === 0) this.#lines.delete(kept.orderKey);
  }
}

const urlKey = (projectId: string, url: string): string => `${projectId} ${url}`;

const standingOf = ({ id, projectId, orderKey, url, createdMs, attempts, dueMs, inLine }: Kept): Standing => ({
  id,
  projectId,
  orderKey,
  url,
  createdMs,
  attempts,
  dueMs,
  inLine,
});

const deadOf = (kept: Kept): DeadDelivery[] =>
  kept.death ? [{ ...standingOf(kept), body: kept.body, ...kept.death }] : [];
