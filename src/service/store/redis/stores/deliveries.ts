/** Writes deliveries to Redis: as arguments of functions, and then to the subscribers of the outbox. */
import type { Delivery } from '../../../../base/core/delivery.ts';
import type { DeliveryArrival, QueuedDelivery } from '../../../observers/webhooks/outbox.ts';
import { DeliveryListeners } from '../../delivery-listeners.ts';
import { LruMap } from '../../lru-map.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import type { Reader } from '../connection/reader.ts';
import { tagOf } from '../connection/shards.ts';

/** Minimum ids cached with their order key; others are searched for in all shards. */
const KNOWN_IDS = 50_000;
/** Not a shard of calls: final events that wait for parts in any shard. */
const ENDS = 'cw:{ends}';
const GONE = '-';

/** Final event of a whole (a broadcast) that waits for its parts. */
interface DeferredFinalEvent {
  orderKey: string;
  /** Whole and URL, in the form that the functions take. */
  name: string;
}

export class Deliveries {
  readonly listeners = new DeliveryListeners();
  readonly #groups: CommandGroups;
  readonly #reader: Reader;
  readonly #orderKeys = new LruMap<string, string>(KNOWN_IDS);

  constructor({ groups, reader }: { groups: CommandGroups; reader: Reader }) {
    this.#groups = groups;
    this.#reader = reader;
  }

  /** Serialised immediately, so that later changes of the payload have no effect. */
  argsOf(deliveries: readonly Delivery[]): string[] {
    return deliveries.flatMap((delivery) => {
      const { id, orderKey, projectId, url, receiver, createdMs, partOf, afterPartsOf, body } =
        this.listeners.arrivalOf(delivery);
      return [id, orderKey, projectId, url, receiver, `${createdMs}`, partOf ?? '', afterPartsOf ?? '', body];
    });
  }

  /** Called before the write, so that a waiting final event is not lost if a node dies in between. */
  async announceEnds(deliveries: readonly Delivery[]): Promise<void> {
    for (const { id, orderKey, url, afterPartsOf } of deliveries) {
      if (afterPartsOf === undefined) continue;
      const end: DeferredFinalEvent = { orderKey, name: `${afterPartsOf} ${url}` };
      await this.#groups.call('cw_await', ENDS, [id, JSON.stringify(end)]);
    }
  }

  /**
   * Called after the write; `flags` has a character for each delivery. Deliveries that this node has emitted before are
   * skipped.
   */
  async written(deliveries: readonly Delivery[], flags: string): Promise<void> {
    const fresh = deliveries.map((delivery, index) => [delivery, flags[index]] as const);
    const arrived: DeliveryArrival[] = [];
    for (const [delivery, flag] of fresh) {
      const isKnown = this.#orderKeys.has(delivery.id);
      this.learn(delivery.id, delivery.orderKey);
      if (isKnown || flag === GONE) continue;
      const arrival = this.listeners.arrivalOf(delivery);
      arrival.isSendable = flag === '1';
      if (delivery.afterPartsOf !== undefined) {
        arrival.isSendable = await this.#released(delivery.id, {
          orderKey: delivery.orderKey,
          name: `${delivery.afterPartsOf} ${delivery.url}`,
        });
      }
      arrived.push(arrival);
    }
    this.listeners.emit(arrived);
  }

  async add(deliveries: readonly Delivery[]): Promise<void> {
    const args = deliveries.map((delivery) => this.argsOf([delivery]));
    await this.announceEnds(deliveries);
    const flags = await Promise.all(
      deliveries.map(({ orderKey }, index) => this.#groups.call('cw_add', tagOf(orderKey), args[index]!)),
    );
    await this.written(deliveries, flags.join(''));
  }

  learn(id: string, orderKey: string): void {
    this.#orderKeys.set(id, orderKey);
  }

  /** Shard of a delivery; undefined if it does not exist. */
  async tagOfDelivery(id: string): Promise<string | undefined> {
    const known = this.#orderKeys.get(id);
    if (known !== undefined) return tagOf(known);
    for (const rows of await this.#reader.askAll<string[][]>('cw_find', [id])) {
      const [row] = rows;
      if (!row) continue;
      this.learn(id, row[ORDER_KEY]!);
      return tagOf(row[ORDER_KEY]!);
    }
    return undefined;
  }

  /**
   * Called when a shard holds no more parts of these wholes: releases the final events for which no other shard does
   * either.
   */
  async partsLeft(names: readonly string[]): Promise<void> {
    if (names.every((name) => name === '')) return;
    const left = new Set(names);
    await this.releaseEnds(({ name }) => left.has(name));
  }

  /**
   * Releases the final events without pending parts. Also called periodically, because the node that removed the last part
   * may have died before its check.
   */
  async releaseEnds(isMeant: (end: DeferredFinalEvent) => boolean = () => true): Promise<void> {
    const ends = await this.#reader.run((client) => client.hgetall(`${ENDS}:awaiting`));
    for (const [id, text] of Object.entries(ends)) {
      const end = JSON.parse(text) as DeferredFinalEvent;
      if (!isMeant(end) || !(await this.#released(id, end))) continue;
      const [row] = await this.#reader.ask<string[][]>('cw_find', tagOf(end.orderKey), [id]);
      if (row) this.listeners.emit([{ ...queuedOf(row), isSendable: true }]);
    }
  }

  /** Releases a final event if no part is left. True if it may be sent. */
  async #released(id: string, { orderKey, name }: DeferredFinalEvent): Promise<boolean> {
    const counts = await this.#reader.askAll<number>('cw_parts', [name]);
    if (counts.some((count) => count > 0)) return false;
    const isSendable = (await this.#groups.call('cw_release', tagOf(orderKey), [id])) === 1;
    await this.#groups.call('cw_awaited', ENDS, [id]);
    return isSendable;
  }
}

const ORDER_KEY = 2;

/** Expects the fields in the order of `FIELDS` in `functions.lua`. */
export function queuedOf(row: readonly (string | null)[]): QueuedDelivery {
  const [id, projectId, orderKey, url, receiver, createdMs, attempts, dueMs, inLine, body] = row as string[];
  return {
    id: id!,
    projectId: projectId!,
    orderKey: orderKey!,
    url: url!,
    receiver: receiver!,
    createdMs: Number(createdMs),
    attempts: Number(attempts),
    dueMs: Number(dueMs),
    inLine: inLine === '1',
    body: body!,
  };
}
