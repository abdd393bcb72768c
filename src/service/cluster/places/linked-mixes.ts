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
  readonly #linkOf = new Map<string, { home: NodeEpoch; mixId: string }>();

  constructor(sound: MixLinks, channels: Pick<Channels, 'find'>) {
    this.#sound = sound;
    this.#channels = channels;
  }

  join(memberId: string, home: NodeEpoch, mixId: string): void {
    const before = this.#linkOf.get(memberId);
    if (before?.home === home && before.mixId === mixId) return;
    this.leave(memberId);
    const channel = this.#channels.find(home);
    if (!channel) return;
    this.#linkOf.set(memberId, { home, mixId });
    const key = keyOf(home, mixId);
    const known = this.#links.get(key);
    if (known) {
      known.members.add(memberId);
      return;
    }
    const { localHost, farHost } = channel;
    const end = this.#sound.linkMix(mixId, { localHost, farHost }, (address) => {
      this.#channels.find(home)?.send({ type: 'link', mixId, port: address.port, key: address.key });
    });
    this.#links.set(key, { end, members: new Set([memberId]) });
  }

  leave(memberId: string): void {
    const linked = this.#linkOf.get(memberId);
    if (!linked) return;
    this.#linkOf.delete(memberId);
    const { home, mixId } = linked;
    const link = this.#links.get(keyOf(home, mixId));
    if (!link?.members.delete(memberId) || link.members.size > 0) return;
    this.#links.delete(keyOf(home, mixId));
    link.end.close();
    this.#channels.find(home)?.send({ type: 'unlink', mixId });
  }
}

const keyOf = (home: NodeEpoch, mixId: string): string => `${home} ${mixId}`;
