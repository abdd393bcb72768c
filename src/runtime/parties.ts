/**
 * Whose the parties of a call are: each belongs to the visit that called or took it, or waits, as the call's partner,
 * for a visit that takes it.
 *
 * Invariants
 *  P1 a party without a visit is hung up, unless it is the partner; there is one partner at most;
 *  P2 a party becomes the partner only where its visit said `keep` and an interrupt leaves that visit.
 */

import { HOLD_MUSIC } from '../core/built-in-sounds.ts';
import { type Fault, fault } from '../core/fault.ts';
import type { AudioItem } from '../core/leg.ts';
import type { PartyRequest } from '../steps/step.ts';
import type { Decision } from './decision.ts';
import type { LegState, Legs } from './legs.ts';
import type { StepRun } from './step-run.ts';

/** At the same time, on one call. */
const MAX_PARTIES = 32;

export interface PartyPorts {
  legs: Legs;
  /** What is shown to those who are called, unless said otherwise. */
  cli: string;
  mayPresent(cli: string): boolean;
}

export class Parties {
  readonly #decision: Decision;
  readonly #ports: PartyPorts;
  #kept: Map<LegState, readonly AudioItem[]> | undefined;
  #partner: LegState | undefined;

  constructor(decision: Decision, ports: PartyPorts) {
    this.#decision = decision;
    this.#ports = ports;
  }

  of(stepRun: StepRun): LegState[] {
    return this.#ports.legs.parties.filter(({ owner }) => owner === stepRun);
  }

  dial(stepRun: StepRun, { to, from = this.#ports.cli, fromName, ringTimeoutMs }: PartyRequest): LegState {
    const { legs, cli, mayPresent } = this.#ports;
    if (from !== cli && !mayPresent(from)) {
      throw new Refused(fault('cli_not_assigned', `${from.slice(0, 64)} is not a number of this project`));
    }
    if (legs.parties.length >= MAX_PARTIES) {
      throw new Refused(fault('too_many_parties', `a call has at most ${MAX_PARTIES} parties at a time`));
    }
    const legId = this.#decision.nextId('leg');
    return legs.dial({ legId, from, to, ringTimeoutMs, ...(fromName === undefined ? {} : { fromName }) }, stepRun);
  }

  keep(leg: LegState, music: readonly AudioItem[] = HOLD_MUSIC): void {
    this.#kept ??= new Map();
    this.#kept.set(leg, music);
  }

  get heldPeer(): LegState | undefined {
    return this.#partner;
  }

  takeHeldPeer(stepRun: StepRun): LegState | undefined {
    const leg = this.#partner;
    if (!leg) return undefined;
    this.#partner = undefined;
    leg.owner = stepRun;
    this.#ports.legs.send(leg, { type: 'resume' }, stepRun.number);
    return leg;
  }

  /** Which of its parties stay with the call when an interrupt leaves the visit. */
  keptBy(stepRun: StepRun): LegState | undefined {
    return this.of(stepRun).find((leg) => this.#kept?.has(leg) && leg.state === 'connected' && !leg.isEnding);
  }

  /** The visit is over: `staying` becomes the partner, the others are hung up. */
  leave(stepRun: StepRun, staying: LegState | undefined): void {
    const { legs } = this.#ports;
    for (const leg of this.of(stepRun)) {
      leg.owner = undefined;
      if (leg !== staying) legs.hangUp(leg, undefined, stepRun.number);
    }
    if (!staying) return;
    this.hangUpHeldPeer();
    this.#partner = staying;
    legs.send(staying, { type: 'hold', music: [...(this.#kept?.get(staying) ?? HOLD_MUSIC)] }, stepRun.number);
  }

  /** Nobody waits for the partner any more. */
  hangUpHeldPeer(): void {
    const leg = this.#partner;
    this.#partner = undefined;
    if (leg) this.#ports.legs.hangUp(leg);
  }

  /** The line has ended, or is another call's now. */
  forget(leg: LegState): void {
    this.#kept?.delete(leg);
    leg.owner = undefined;
    if (this.#partner === leg) this.#partner = undefined;
  }
}

class Refused extends Error {
  readonly fault: Fault;
  constructor(why: Fault) {
    super(why.message);
    this.fault = why;
  }
}
