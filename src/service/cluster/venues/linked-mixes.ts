/**
 * Mixes of this node that are linked with mixes on owner nodes: one link per mix and owner node, while a member of this
 * node is in it. The owner node accepts the link in response to `link`, until `unlink` or the end of the channel.
 */
import type { NodeEpoch } from '../../../base/core/ownership.ts';
import type { MixLinks } from '../../../media/telephony/mix-links.ts';
import type { Channels } from './channels.ts';

interface Link {
  end: { close(): void };
  members: Set<string>;
}

export class LinkedMixes {
  readonly #sound: MixLinks;
  readonly #channels: Pick<Channels, 'find'>;
  readonly #links = new Map<string, Link>();
  /** Link of each member, who is in at most one mix. */
  readonly #linkOf = new Map<string, { owner: NodeEpoch; mixId: string }>();

  constructor(sound: MixLinks, channels: Pick<Channels, 'find'>) {
    this.#sound = sound;
    this.#channels = channels;
  }

  join(memberId: string, owner: NodeEpoch, mixId: string): void {
    const before = this.#linkOf.get(memberId);
    if (before?.owner === owner && before.mixId === mixId) return;
    this.leave(memberId);
    const channel = this.#channels.find(owner);
    if (!channel) return;
    this.#linkOf.set(memberId, { owner, mixId });
    const key = keyOf(owner, mixId);
    const known = this.#links.get(key);
    if (known) {
      known.members.add(memberId);
      return;
    }
    const { localHost, farHost } = channel;
    const end = this.#sound.linkMix(mixId, { localHost, farHost }, (address) => {
      this.#channels.find(owner)?.send({ type: 'link', mixId, port: address.port, key: address.key });
    });
    this.#links.set(key, { end, members: new Set([memberId]) });
  }

  leave(memberId: string): void {
    const linked = this.#linkOf.get(memberId);
    if (!linked) return;
    this.#linkOf.delete(memberId);
    const { owner, mixId } = linked;
    const link = this.#links.get(keyOf(owner, mixId));
    if (!link?.members.delete(memberId) || link.members.size > 0) return;
    this.#links.delete(keyOf(owner, mixId));
    link.end.close();
    this.#channels.find(owner)?.send({ type: 'unlink', mixId });
  }
}

const keyOf = (owner: NodeEpoch, mixId: string): string => `${owner} ${mixId}`;
