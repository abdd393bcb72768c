/**
 * Whose the parties of a call are: each belongs to the visit that called or took it, or waits, as the call's partner,
 * for a visit that takes it.
 *
 * Invariants
 *  P1 a party without a visit is hung up, unless it is the partner; there is one partner at most;
 *  P2 a party becomes the partner only where its visit said `keep` and an interrupt leaves that visit.
 */
import { type Fault, fault } from '../core/fault.ts';
import type { AudioItem } from '../core/leg.ts';
import { HOLD_MUSIC } from '../core/sounds.ts';
import type { PartyRequest } from '../steps/step.ts';
import type { Decision } from './decision.ts';
import type { Line, Lines } from './lines.ts';
import type { Visit } from './visit.ts';

/** At the same time, on one call. */
const MOST_PARTIES = 32;

export interface PartyPorts {
  lines: Lines;
  /** What is shown to those who are called, unless said otherwise. */
  cli: string;
  mayPresent(cli: string): boolean;
}

export class Parties {
  readonly #decision: Decision;
  readonly #ports: PartyPorts;
  #kept: Map<Line, readonly AudioItem[]> | undefined;
  #partner: Line | undefined;

  constructor(decision: Decision, ports: PartyPorts) {
    this.#decision = decision;
    this.#ports = ports;
  }

  of(visit: Visit): Line[] {
    return this.#ports.lines.parties.filter(({ owner }) => owner === visit);
  }

  dial(visit: Visit, { to, from = this.#ports.cli, fromName, ringTimeoutMs }: PartyRequest): Line {
    const { lines, cli, mayPresent } = this.#ports;
    if (from !== cli && !mayPresent(from)) {
      throw new Refused(fault('cli_not_assigned', `${from.slice(0, 64)} is not a number of this project`));
    }
    if (lines.parties.length >= MOST_PARTIES) {
      throw new Refused(fault('too_many_parties', `a call has at most ${MOST_PARTIES} parties at a time`));
    }
    const legId = this.#decision.nextId('leg');
    return lines.dial({ legId, from, to, ringTimeoutMs, ...(fromName === undefined ? {} : { fromName }) }, visit);
  }

  keep(line: Line, music: readonly AudioItem[] = HOLD_MUSIC): void {
    this.#kept ??= new Map();
    this.#kept.set(line, music);
  }

  get partner(): Line | undefined {
    return this.#partner;
  }

  takePartner(visit: Visit): Line | undefined {
    const line = this.#partner;
    if (!line) return undefined;
    this.#partner = undefined;
    line.owner = visit;
    this.#ports.lines.send(line, { type: 'resume' }, visit.number);
    return line;
  }

  /** Which of its parties stay with the call when an interrupt leaves the visit. */
  keptBy(visit: Visit): Line | undefined {
    return this.of(visit).find((line) => this.#kept?.has(line) && line.state === 'connected' && !line.leaving);
  }

  /** The visit is over: `staying` becomes the partner, the others are hung up. */
  leave(visit: Visit, staying: Line | undefined): void {
    const { lines } = this.#ports;
    for (const line of this.of(visit)) {
      line.owner = undefined;
      if (line !== staying) lines.hangUp(line, undefined, visit.number);
    }
    if (!staying) return;
    this.dismissPartner();
    this.#partner = staying;
    lines.send(staying, { type: 'hold', music: [...(this.#kept?.get(staying) ?? HOLD_MUSIC)] }, visit.number);
  }

  /** Nobody waits for the partner any more. */
  dismissPartner(): void {
    const line = this.#partner;
    this.#partner = undefined;
    if (line) this.#ports.lines.hangUp(line);
  }

  /** The line has ended, or is another call's now. */
  forget(line: Line): void {
    this.#kept?.delete(line);
    line.owner = undefined;
    if (this.#partner === line) this.#partner = undefined;
  }
}

class Refused extends Error {
  readonly fault: Fault;
  constructor(why: Fault) {
    super(why.message);
    this.fault = why;
  }
}
