/** Port: ordered messages between nodes. Implemented in `node-sockets.ts`. */
import type { JsonObject } from '../../../base/core/json.ts';
import type { NodeEpoch } from '../../../base/core/ownership.ts';
import type { NodeInfo } from '../cluster.ts';

/** A connection to another node. */
export interface NodeChannel {
  /** Epoch id of the other node. */
  readonly node: NodeEpoch;
  /** IP addresses of both ends. */
  readonly localHost: string;
  readonly farHost: string;
  /** No effect on a closed channel. */
  send(message: JsonObject): void;
  close(): void;
}

/** Receiver of the messages from the other end. */
export interface ChannelEnd {
  message(message: JsonObject): void;
  /** Called once; no message follows. */
  closed(): void;
}

export interface NodeNetwork {
  /** Rejects if the node does not answer. */
  open(node: NodeInfo, end: (channel: NodeChannel) => ChannelEnd): Promise<NodeChannel>;
  /** Sets the handler for channels that other nodes open. */
  accept(end: (channel: NodeChannel) => ChannelEnd): void;
}
