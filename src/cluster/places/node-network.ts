/** The port to messages between nodes, in order. `node-sockets.ts` has it. */
import type { JsonObject } from '../../core/json.ts';
import type { LifeId } from '../../core/ownership.ts';
import type { NodeInfo } from '../cluster.ts';

/** The way to another node, as long as it lasts. */
export interface NodeChannel {
  /** The other end. */
  readonly node: LifeId;
  /** IP addresses of both ends. */
  readonly localHost: string;
  readonly farHost: string;
  /** Nothing happens where it is closed. */
  send(message: JsonObject): void;
  close(): void;
}

/** What takes what comes from the other end. */
export interface ChannelEnd {
  message(message: JsonObject): void;
  /** Once; nothing comes after it. */
  closed(): void;
}

export interface NodeNetwork {
  /** Rejects where the node does not answer. */
  open(node: NodeInfo, end: (channel: NodeChannel) => ChannelEnd): Promise<NodeChannel>;
  /** What is done with the channels that others open. */
  accept(end: (channel: NodeChannel) => ChannelEnd): void;
}
