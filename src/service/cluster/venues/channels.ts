/**
 * Channels of this node to other nodes: one per node, opened on demand, closed when the node is lost. A question is
 * answered, or fails when the channel closes.
 */
import type { JsonObject } from '../../../base/core/json.ts';
import type { NodeEpoch } from '../../../base/core/ownership.ts';
import type { Cluster, NodeInfo } from '../cluster.ts';
import type { NodeChannel, NodeNetwork } from './node-network.ts';

export interface ChannelsParts {
  network: Pick<NodeNetwork, 'open'>;
  cluster: Pick<Cluster, 'onChange'>;
  message(channel: NodeChannel, message: JsonObject): void;
  /** Called when an open channel has closed. */
  closed(node: NodeEpoch): void;
}

export class Channels {
  readonly #parts: ChannelsParts;
  readonly #open = new Map<NodeEpoch, NodeChannel>();
  readonly #opening = new Map<NodeEpoch, Promise<NodeChannel>>();
  readonly #asked = new Map<number, { node: NodeEpoch; answered(answer: JsonObject | undefined): void }>();
  readonly #unsubscribe: () => void;
  #asks = 0;

  constructor(parts: ChannelsParts) {
    this.#parts = parts;
    this.#unsubscribe = parts.cluster.onChange(({ lost }) => {
      for (const { id } of lost) this.#open.get(id)?.close();
    });
  }

  /** Open channel to the node. */
  find(node: NodeEpoch): NodeChannel | undefined {
    return this.#open.get(node);
  }

  /** Rejects if the node does not answer. */
  to(node: NodeInfo): Promise<NodeChannel> {
    const open = this.#open.get(node.id);
    if (open) return Promise.resolve(open);
    const opening = this.#opening.get(node.id) ?? this.#openTo(node);
    this.#opening.set(node.id, opening);
    return opening;
  }

  /** Undefined if the channel closed before the answer. */
  ask(channel: NodeChannel, message: JsonObject): Promise<JsonObject | undefined> {
    if (this.#open.get(channel.node) !== channel) return Promise.resolve(undefined);
    const ask = ++this.#asks;
    return new Promise((answered) => {
      this.#asked.set(ask, { node: channel.node, answered });
      channel.send({ ...message, ask });
    });
  }

  close(): void {
    this.#unsubscribe();
    for (const channel of [...this.#open.values()]) channel.close();
  }

  async #openTo(node: NodeInfo): Promise<NodeChannel> {
    try {
      return await this.#parts.network.open(node, (channel) => {
        this.#open.set(node.id, channel);
        return { message: (message) => this.#receive(channel, message), closed: () => this.#closed(channel) };
      });
    } finally {
      this.#opening.delete(node.id);
    }
  }

  #receive(channel: NodeChannel, message: JsonObject): void {
    if (message['type'] !== 'answer') {
      this.#parts.message(channel, message);
      return;
    }
    const ask = Number(message['ask']);
    const asked = this.#asked.get(ask);
    if (asked?.node !== channel.node) return;
    this.#asked.delete(ask);
    asked.answered(message);
  }

  #closed(channel: NodeChannel): void {
    if (this.#open.get(channel.node) === channel) this.#open.delete(channel.node);
    for (const [ask, { node, answered }] of this.#asked) {
      if (node !== channel.node) continue;
      this.#asked.delete(ask);
      answered(undefined);
    }
    this.#parts.closed(channel.node);
  }
}
