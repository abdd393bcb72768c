/** Members of simulated mixes, and which of them each member hears. A mix exists while it has members. */
export interface MixMember<M> {
  /** True if the others of its mix hear it now, unless it is muted. */
  readonly isAudible: boolean;
  /** Called whenever the members that it hears may have changed. */
  setAudiblePeers(others: readonly M[]): void;
}

export class SimulatedMixes<M extends MixMember<M>> {
  readonly #mixes = new Map<string, Map<M, { muted: boolean }>>();
  readonly #mixOf = new Map<M, string>();

  join(member: M, mixId: string, muted: boolean): void {
    if (this.#mixOf.get(member) !== mixId) this.leave(member);
    const mix = this.#mixes.get(mixId) ?? new Map<M, { muted: boolean }>();
    this.#mixes.set(mixId, mix.set(member, { muted }));
    this.#mixOf.set(member, mixId);
    this.update(member);
  }

  leave(member: M): void {
    const mixId = this.#mixOf.get(member);
    if (mixId === undefined) return;
    const mix = this.#mixes.get(mixId)!;
    mix.delete(member);
    this.#mixOf.delete(member);
    if (mix.size === 0) this.#mixes.delete(mixId);
    member.setAudiblePeers([]);
    this.#notify(mix);
  }

  mute(member: M, muted: boolean): void {
    const membership = this.#mixes.get(this.#mixOf.get(member) ?? '')?.get(member);
    if (!membership) return;
    membership.muted = muted;
    this.update(member);
  }

  /** All others of its mix, audible or not. */
  others(member: M): M[] {
    const mix = this.#mixes.get(this.#mixOf.get(member) ?? '');
    return [...(mix?.keys() ?? [])].filter((other) => other !== member);
  }

  /** Has to be called when the state of this member has changed. */
  update(member: M): void {
    const mixId = this.#mixOf.get(member);
    if (mixId !== undefined) this.#notify(this.#mixes.get(mixId)!);
  }

  #notify(mix: ReadonlyMap<M, { muted: boolean }>): void {
    const audible = [...mix].filter(([member, { muted }]) => member.isAudible && !muted).map(([member]) => member);
    for (const member of mix.keys()) member.setAudiblePeers(audible.filter((other) => other !== member));
  }
}
