/**
 * The legs of one call: the main leg (the caller's, or that of the callee of an outbound call), and those of its parties,
 * who were called later. Commands to a leg are journalled and sent here; its events come through the run.
 *
 * Invariants
 *  - a leg that was hung up, or has ended, receives no further command;
 *  - a leg that was hung up and never reports its end is given up after LEG_END_GRACE_MS;
 *  - each party belongs to one step run, or is the held peer of the call; any other party is hung up;
 *  - a party becomes the held peer only where its step said `keepOnInterrupt` and an interrupt leaves that step.
 */

import { causeOf, NORMAL_CLEARING, NOT_SELECTED, TEMPORARY_FAILURE } from '../core/causes.ts';
import type { Timer } from '../core/clock.ts';
import { FaultError, fault } from '../core/fault.ts';
import { defined } from '../core/json.ts';
import type { AudioItem, LegCommand } from '../core/leg.ts';
import type { SipHeaders } from '../core/sip-headers.ts';
import type { PartyRequest } from '../steps/step.ts';
import type { CallTransaction } from './call-transaction.ts';
import type { Deadlines } from './deadlines.ts';
import type { CallInput } from './journal.ts';
import type { LegRegistry } from './ports.ts';

/** How long a leg may take to end after it was hung up: longer than a SIP transaction (64*T1, RFC 3261 §17.1.2.2). */
const LEG_END_GRACE_MS = 40_000;
/** SIP: decline (RFC 3261 §21.6.2). */
const DECLINED = 603;
/** Recovery on timer expiry (Q.850): the engine never reported the end of a leg. */
const LEG_LOST_CAUSE = 102;
/** At the same time, on one call. */
const MAX_PARTIES = 32;

export interface LegState {
  readonly legId: string;
  /** The address of a party; absent: the main leg. */
  readonly to?: string;
  /** `ringing` covers every state before the answer. */
  state: 'ringing' | 'connected' | 'ended';
  /** Its engine was asked to call the party, where it waits for that. */
  isDialled?: true;
  hasRung: boolean;
  /** A command to end was sent. */
  isEnding: boolean;
  isHeld: boolean;
  /** It ended before its answer, because somebody else has the call: parties are told so. */
  isTakenElsewhere?: true;
  mixId?: string | undefined;
  /** The step run that a party belongs to. */
  owner?: number | undefined;
  /** What a party hears that stays with the call when an interrupt leaves its step. */
  heldMusic?: readonly AudioItem[];
  grace?: Timer;
}

const newLeg = (legId: string): LegState => ({
  legId,
  state: 'ringing',
  hasRung: false,
  isEnding: false,
  isHeld: false,
});

export class Legs {
  readonly main: LegState;
  readonly #transaction: CallTransaction;
  readonly #registry: LegRegistry;
  readonly #deadlines: Deadlines;
  /** By leg id; most calls have none. */
  #parties: Map<string, LegState> | undefined;
  /** The party that was kept when its bridge was interrupted: it hears music until a step takes it. */
  #heldPeer: LegState | undefined;

  constructor(legId: string, transaction: CallTransaction, registry: LegRegistry, deadlines: Deadlines) {
    this.main = newLeg(legId);
    this.#transaction = transaction;
    this.#registry = registry;
    this.#deadlines = deadlines;
  }

  /** Those that have not ended. */
  get parties(): LegState[] {
    return this.#parties ? [...this.#parties.values()] : [];
  }

  get allEnded(): boolean {
    return this.main.state === 'ended' && (this.#parties?.size ?? 0) === 0;
  }

  get heldPeer(): LegState | undefined {
    return this.#heldPeer;
  }

  /** Without an id: the main leg. */
  find(legId: string | undefined): LegState | undefined {
    return legId === undefined || legId === this.main.legId ? this.main : this.#parties?.get(legId);
  }

  partiesOf(stepRun: number): LegState[] {
    return this.#parties ? this.parties.filter(({ owner }) => owner === stepRun) : [];
  }

  /** The other leg of the mix that this leg is in. */
  peerOf(legId: string): LegState | undefined {
    const leg = this.find(legId);
    if (leg?.mixId === undefined) return undefined;
    return [this.main, ...this.parties].find(
      (other) => other !== leg && other.mixId === leg.mixId && other.state === 'connected' && !other.isEnding,
    );
  }

  /** `journalled` is what the journal keeps of the command, where that is not the command itself. */
  send(leg: LegState, command: LegCommand, stepRun: number, journalled: LegCommand = command): void {
    if (leg.state === 'ended' || leg.isEnding) return;
    if (command.type === 'hangup' || command.type === 'reject') this.#expectEnd(leg);
    else if (command.type === 'join') leg.mixId = command.mixId;
    else if (command.type === 'leave') leg.mixId = undefined;
    this.#transaction.append({ kind: 'command', command: journalled, visit: stepRun, ...this.#partyId(leg) });
    this.#transaction.onCommit(() => this.#transaction.ports.engine.send(leg.legId, command));
    if (command.type !== 'hold' && command.type !== 'resume') return;
    leg.isHeld = command.type === 'hold';
    if (leg === this.main) this.#transaction.append({ kind: 'held', held: leg.isHeld });
  }

  hangUp(leg: LegState, cause: number = NORMAL_CLEARING.code, stepRun = 0, headers?: SipHeaders): void {
    this.send(leg, defined({ type: 'hangup', cause, headers }), stepRun);
  }

  /** Refuses what the far end asked for (REFER). */
  decline(leg: LegState, referId: string, stepRun = 0): void {
    this.send(leg, { type: 'refer_progress', referId, sipStatus: DECLINED }, stepRun);
  }

  /** Calls a party, which belongs to the step run. */
  dial(request: PartyRequest, owner: number): LegState {
    const { record } = this.#transaction;
    const cli = record.direction === 'outbound' ? record.from : record.to;
    const { to, from: wanted = cli, fromName, ringTimeoutMs, headers } = request;
    const isAllowed = wanted === cli || this.#transaction.ports.mayPresent(record.projectId, wanted);
    const isOfCaller = record.direction === 'inbound' && wanted === record.from;
    if (!isAllowed && !isOfCaller) {
      throw new FaultError(fault('cli_not_assigned', `${wanted.slice(0, 64)} is not a number of this project`));
    }
    // The number of the caller is shown where the project may show any; else its own.
    const from = isAllowed ? wanted : cli;
    if (this.parties.length >= MAX_PARTIES) {
      throw new FaultError(fault('too_many_parties', `a call has at most ${MAX_PARTIES} parties at a time`));
    }
    const legId = this.#transaction.nextId('leg');
    const leg = this.#add({ ...newLeg(legId), to, owner });
    this.#transaction.append({ kind: 'dialled', leg: legId, from, to, visit: owner, ringTimeoutMs, headers });
    this.#transaction.onCommit(() => {
      this.#registry.attach(legId);
      const nearLegId = this.main.legId;
      this.#transaction.ports.engine.dial(defined({ legId, from, to, ringTimeoutMs, fromName, headers, nearLegId }));
    });
    return leg;
  }

  /** A party of another call, which is connected, becomes one of this call. */
  adopt(legId: string, to: string): LegState {
    return this.#add({ ...newLeg(legId), to, state: 'connected' });
  }

  takeHeldPeer(stepRun: number): LegState | undefined {
    const leg = this.#heldPeer;
    if (!leg) return undefined;
    this.#heldPeer = undefined;
    leg.owner = stepRun;
    this.send(leg, { type: 'resume' }, stepRun);
    return leg;
  }

  /** The party that stays with the call when an interrupt leaves the step run. */
  keptBy(stepRun: number): LegState | undefined {
    return this.partiesOf(stepRun).find((leg) => leg.heldMusic && leg.state === 'connected' && !leg.isEnding);
  }

  /** The step run is over: `kept` becomes the held peer, its other parties are hung up. */
  releaseParties(stepRun: number, kept: LegState | undefined): void {
    const cause = this.main.isTakenElsewhere ? NOT_SELECTED.code : undefined;
    for (const leg of this.partiesOf(stepRun)) {
      leg.owner = undefined;
      if (leg !== kept) this.hangUp(leg, cause, stepRun);
    }
    if (!kept) return;
    this.hangUpHeldPeer();
    this.#heldPeer = kept;
    this.send(kept, { type: 'hold', music: [...kept.heldMusic!] }, stepRun);
  }

  hangUpHeldPeer(): void {
    const leg = this.#heldPeer;
    this.#heldPeer = undefined;
    if (leg) this.hangUp(leg);
  }

  /** Its last event came, or it belongs to another call now. */
  end(leg: LegState): void {
    leg.state = 'ended';
    leg.grace?.cancel();
    leg.mixId = undefined;
    if (leg === this.main) return;
    leg.owner = undefined;
    if (this.#heldPeer === leg) this.#heldPeer = undefined;
    this.#parties?.delete(leg.legId);
    this.#transaction.onCommit(() => this.#registry.detach(leg.legId));
  }

  /** After a crash: everybody is hung up, and nothing is written. */
  hangUpAll(cause: number, report: (error: unknown) => void): void {
    for (const { legId, state } of [this.main, ...this.parties]) {
      if (state === 'ended') continue;
      try {
        this.#transaction.ports.engine.send(legId, { type: 'hangup', cause });
      } catch (error) {
        report(error);
      }
    }
  }

  /** The call is another node's: nothing is sent to its legs but that they end, where they cannot go on there. */
  letGo(report: (error: unknown) => void): void {
    const { engine } = this.#transaction.ports;
    if (!engine.release) this.hangUpAll(TEMPORARY_FAILURE.code, report);
    else for (const { legId, state } of [this.main, ...this.parties]) if (state !== 'ended') engine.release(legId);
  }

  #add(leg: LegState): LegState {
    this.#parties ??= new Map();
    this.#parties.set(leg.legId, leg);
    return leg;
  }

  #expectEnd(leg: LegState): void {
    leg.isEnding = true;
    const lost: CallInput = {
      type: 'leg',
      ...this.#partyId(leg),
      event: { type: 'ended', cause: causeOf(LEG_LOST_CAUSE), by: 'network' },
    };
    leg.grace = this.#deadlines.guard(LEG_END_GRACE_MS, lost);
  }

  #partyId(leg: LegState): { leg?: string } {
    return leg === this.main ? {} : { leg: leg.legId };
  }
}
