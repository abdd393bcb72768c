/** Mixes are bridges of Asterisk, with the same name: made when the first leg joins, deleted when the last one leaves. */
import { type AriRequest, ariPath } from './ari-client.ts';

export class Mixes {
  readonly #members = new Map<string, Set<string>>();
  /** What is made or deleted, one after the other for each mix. */
  readonly #work = new Map<string, Promise<unknown>>();

  /** Whether the leg is in. `request` is that of the leg. */
  join(mixId: string, legId: string, request: AriRequest): Promise<boolean> {
    this.add(mixId, legId);
    return this.#next(mixId, async () => {
      const bridgeId = bridgeOf(mixId);
      // The same bridge again is answered like the first. Digits are events also where two talk directly.
      await request('POST', ariPath('bridges', bridgeId), { type: 'mixing,dtmf_events', name: mixId });
      const { status } = await request('POST', ariPath('bridges', bridgeId, 'addChannel'), { channel: legId });
      return status === 204;
    });
  }

  /** One that is in already. */
  add(mixId: string, legId: string): void {
    this.#members.set(mixId, (this.#members.get(mixId) ?? new Set()).add(legId));
  }

  /** One that is in, but is nothing of ours any more. */
  remove(mixId: string, legId: string): void {
    const members = this.#members.get(mixId);
    members?.delete(legId);
    if (members?.size === 0) this.#members.delete(mixId);
  }

  /** Also where the channel is gone: then the bridge may be without one. */
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
