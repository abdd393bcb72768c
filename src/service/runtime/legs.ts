/**
 * Legs of one call: the main leg (of the caller, or of the callee of an outbound call), and those of its parties, which
 * were dialled later. Commands to a leg are journalled and sent here; its events arrive through the run.
 *
 * Invariants
 *  - A leg that was hung up, or has ended, receives no further command.
 *  - A leg that was hung up and never reports its end is abandoned after LEG_END_GRACE_MS.
 *  - Each party belongs to one step run, or is the held peer of the call; any other party is hung up.
 *  - A party becomes the held peer only if its step called `keepOnInterrupt` and an interrupt leaves that step.
 */
import { causeOf, NORMAL_CLEARING, NOT_SELECTED, TEMPORARY_FAILURE } from '../../base/core/causes.ts';
import type { Timer } from '../../base/core/clock.ts';
import { FaultError, fault } from '../../base/core/fault.ts';
import { defined } from '../../base/core/json.ts';
import type { AudioItem, LegCommand } from '../../base/core/leg.ts';
import type { SipHeaders } from '../../base/core/sip-headers.ts';
import type { PartyRequest } from '../../language/steps/step.ts';
import type { CallTransaction } from './call-transaction.ts';
import type { Deadlines } from './deadlines.ts';
import type { CallInput } from './journal.ts';
import type { LegRegistry } from './ports.ts';

/** Time that a leg may take to end after it was hung up: longer than a SIP transaction (64*T1, RFC 3261 §17.1.2.2). */
const LEG_END_GRACE_MS = 40_000;
/** SIP: decline (RFC 3261 §21.6.2). */
const DECLINED = 603;
/** Recovery on timer expiry (Q.850): the engine never reported the end of a leg. */
const LEG_LOST_CAUSE = 102;
/** Maximum concurrent parties of one call. */
const MAX_PARTIES = 32;

export interface LegState {
  readonly legId: string;
  /** Address of a party; absent for the main leg. */
  readonly to?: string;
  /** `ringing` covers every state before the answer. */
  state: 'ringing' | 'connected' | 'ended';
  /** Set after the engine was told to dial the party, if it waits for that. */
  isDialled?: true;
  hasRung: boolean;
  /** True after a command to end was sent. */
  isEnding: boolean;
  isHeld: boolean;
  /** True if the call was answered elsewhere before this leg answered: its parties get the same cause. */
  isTakenElsewhere?: true;
  mixId?: string | undefined;
  /** Step run to which a party belongs. */
  owner?: number | undefined;
  /** Hold music for a party that is kept when an interrupt leaves its step. */
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
  /** Party legs by id. Undefined while there are none, as in most calls. */
  #parties: Map<string, LegState> | undefined;
  /** The party kept when its bridge was interrupted: it hears music until a step takes it. */
  #heldPeer: LegState | undefined;

  constructor(legId: string, transaction: CallTransaction, registry: LegRegistry, deadlines: Deadlines) {
    this.main = newLeg(legId);
    this.#transaction = transaction;
    this.#registry = registry;
    this.#deadlines = deadlines;
  }

  /** Parties that have not ended. */
  get parties(): LegState[] {
    return this.#parties ? [...this.#parties.values()] : [];
  }

  get allEnded(): boolean {
    return this.main.state === 'ended' && (this.#parties?.size ?? 0) === 0;
  }

  get heldPeer(): LegState | undefined {
    return this.#heldPeer;
  }

  /** Finds a leg; without an id, the main leg. */
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

  /** `journalled`: form of the command for the journal, if it differs. */
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

  /** Refuses a REFER of the far end. */
  decline(leg: LegState, referId: string, stepRun = 0): void {
    this.send(leg, { type: 'refer_progress', referId, sipStatus: DECLINED }, stepRun);
  }

  /** Dials a party, which belongs to the step run. */
  dial(request: PartyRequest, owner: number): LegState {
    const { record } = this.#transaction;
    const cli = record.direction === 'outbound' ? record.from : record.to;
    const { to, from: wanted = cli, fromName, ringTimeoutMs, headers } = request;
    const isAllowed = wanted === cli || this.#transaction.ports.mayPresent(record.projectId, wanted);
    const isOfCaller = record.direction === 'inbound' && wanted === record.from;
    if (!isAllowed && !isOfCaller) {
      throw new FaultError(fault('cli_not_assigned', `${wanted.slice(0, 64)} is not a number of this project`));
    }
    // The caller's number is presented if the project may present any; otherwise the call's own.
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

  /** Adds a connected party of another call. */
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

  /** The leg has ended, or belongs to another call now. */
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

  /** After a crash: hangs up all legs, and writes nothing. */
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

  /** Releases the legs after another node has adopted the call; they are hung up if the engine cannot move them. */
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
