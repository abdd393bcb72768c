/**
 * Counterpart of `owned-venues.ts` on the owner node: adds members of other nodes to the local venues, like those of
 * local calls. They leave when the channel of their node closes.
 */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { MixLinks } from '../../../media/telephony/mix-links.ts';
import type { Venue, VenueMember } from '../../runtime/venue.ts';
import type { ChannelEnd, NodeChannel } from './node-network.ts';
import type { OwnedKind } from './owned-venues.ts';
import type { VenueOwnership } from './venue-ownership.ts';

export interface VenueHostParts {
  ownership: Pick<VenueOwnership, 'holds'>;
  local: Readonly<Record<OwnedKind, Venue>>;
  sound: MixLinks;
  /** Answers other questions of nodes. Undefined for an unknown question. */
  answer(channel: NodeChannel, question: JsonObject): JsonObject | undefined;
  closed(channel: NodeChannel): void;
}

interface RemoteMember {
  kind: OwnedKind;
  venue: string;
  memberId: string;
  channel: NodeChannel;
}

export class VenueHost {
  readonly #parts: VenueHostParts;
  /** Members of other nodes by node and member, because member ids are unique only within a node. */
  readonly #remoteMembers = new Map<string, RemoteMember>();

  constructor(parts: VenueHostParts) {
    this.#parts = parts;
  }

  accept(channel: NodeChannel): ChannelEnd {
    const links = new Map<string, { close(): void }>();
    return {
      message: (message) => this.#receive(channel, links, message),
      closed: () => {
        for (const link of links.values()) link.close();
        for (const [id, remote] of [...this.#remoteMembers]) if (remote.channel === channel) this.#exit(id);
        this.#parts.closed(channel);
      },
    };
  }

  /** Redirects the remote members after another node has become the owner. */
  venueMoved(venue: string): void {
    const gone = [...this.#remoteMembers].filter(([, remote]) => remote.venue === venue);
    for (const [id] of gone) this.#remoteMembers.delete(id);
    for (const [id, { kind, memberId, channel }] of gone) {
      this.#parts.local[kind].exit(id);
      channel.send({ type: 'moved', memberId });
    }
  }

  #receive(channel: NodeChannel, links: Map<string, { close(): void }>, message: JsonObject): void {
    const { type, kind, memberId, mixId } = message;
    const id = `${channel.node} ${String(memberId)}`;
    switch (type) {
      case 'enter':
        this.#enter(channel, message);
        break;
      case 'tell':
        if (this.#remoteMembers.has(id))
          this.#localOf(kind)?.tell(id, String(message['name']), message['data'] ?? null);
        break;
      case 'exit':
        this.#exit(id);
        break;
      case 'link':
        this.#link(channel, links, message);
        break;
      case 'unlink':
        links.get(String(mixId))?.close();
        links.delete(String(mixId));
        break;
      default: {
        const answer = this.#parts.answer(channel, message);
        if (answer) channel.send({ ...answer, type: 'answer', ask: message['ask'] ?? null });
      }
    }
  }

  #enter(channel: NodeChannel, { kind, place: venue, fence, member }: JsonObject): void {
    if (!isObject(member)) return;
    const memberId = String(member['memberId']);
    const local = this.#localOf(kind);
    // Ownership changed after the node had looked it up: it must look it up again.
    if (!local || !this.#parts.ownership.holds(String(venue), Number(fence))) {
      channel.send({ type: 'moved', memberId });
      return;
    }
    const id = `${channel.node} ${memberId}`;
    const remote: RemoteMember = { kind: kind as OwnedKind, venue: String(venue), memberId, channel };
    this.#exit(id);
    this.#remoteMembers.set(id, remote);
    const emit = (name: string, data: Json): void => {
      if (this.#remoteMembers.get(id) === remote) channel.send({ type: 'event', memberId, name, data });
    };
    local.enter({ ...(member as unknown as VenueMember), memberId: id, emit });
  }

  #exit(id: string): void {
    const remote = this.#remoteMembers.get(id);
    if (!remote) return;
    this.#remoteMembers.delete(id);
    this.#parts.local[remote.kind].exit(id);
  }

  #link(channel: NodeChannel, links: Map<string, { close(): void }>, { mixId, port, key }: JsonObject): void {
    const { localHost, farHost } = channel;
    const name = String(mixId);
    links.get(name)?.close();
    links.set(name, this.#parts.sound.acceptMixLink(name, { localHost, farHost, farPort: Number(port) }, String(key)));
  }

  #localOf(kind: Json | undefined): Venue | undefined {
    return kind === 'conference' || kind === 'queue' ? this.#parts.local[kind] : undefined;
  }
}
