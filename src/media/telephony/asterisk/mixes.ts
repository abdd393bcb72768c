/**
 * Mixes as bridges of Asterisk with the same name: created when the first leg joins, deleted when the last one leaves.
 */
import { type AriRequest, ariPath } from './ari-client.ts';

export class Mixes {
  readonly #members = new Map<string, Set<string>>();
  /** Pending creation or deletion, one at a time for each mix. */
  readonly #work = new Map<string, Promise<unknown>>();

  /** True if the leg has joined. `request` is that of the leg. */
  join(mixId: string, legId: string, request: AriRequest): Promise<boolean> {
    this.add(mixId, legId);
    return this.#next(mixId, async () => {
      const bridgeId = bridgeOf(mixId);
      // Creating an existing bridge has no effect. `dtmf_events` reports digits even if two channels are bridged
      // directly.
      await request('POST', ariPath('bridges', bridgeId), { type: 'mixing,dtmf_events', name: mixId });
      const { status } = await request('POST', ariPath('bridges', bridgeId, 'addChannel'), { channel: legId });
      return status === 204;
    });
  }

  /** Adds a leg that is in the bridge already. */
  add(mixId: string, legId: string): void {
    this.#members.set(mixId, (this.#members.get(mixId) ?? new Set()).add(legId));
  }

  /** Removes a member whose leg this node no longer owns. */
  remove(mixId: string, legId: string): void {
    const members = this.#members.get(mixId);
    members?.delete(legId);
    if (members?.size === 0) this.#members.delete(mixId);
  }

  /** Called also for a channel that has ended, because the bridge may be empty then. */
  leave(mixId: string, legId: string, request: AriRequest): Promise<void> {
    this.remove(mixId, legId);
    return this.#next(mixId, async () => {
      const bridgeId = bridgeOf(mixId);
      await request('POST', ariPath('bridges', bridgeId, 'removeChannel'), { channel: legId });
      if (!this.#members.has(mixId)) await request('DELETE', ariPath('bridges', bridgeId));
    });
  }

  #next<Result>(mixId: string, work: () => Promise<Result>): Promise<Result> {
    const next = (this.#work.get(mixId) ?? Promise.resolve()).then(work);
    this.#work.set(mixId, next);
    void next.then(() => {
      if (this.#work.get(mixId) === next) this.#work.delete(mixId);
    });
    return next;
  }
}

const bridgeOf = (mixId: string): string => `callweave.${mixId}`;
