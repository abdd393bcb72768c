/**
 * The lines of one call: the caller's own, and those of the parties that were called besides. What is asked of a line
 * is written and sent here; what it tells comes through the run.
 *
 * Invariants
 *  L1 a line that was told to end, or has ended, is asked nothing more;
 *  L2 a line that was told to end and never tells its end is let go after LEG_END_GRACE_MS.
 */
import { causeOf, NORMAL_CLEARING } from '../core/causes.ts';
import type { Timer } from '../core/clock.ts';
import type { LegCommand } from '../core/leg.ts';
import type { DialRequest, Engine } from '../telephony/engine.ts';
import type { Deadlines } from './deadlines.ts';
import type { Decision } from './decision.ts';
import type { CallInput } from './journal.ts';
import type { StepRun } from './step-run.ts';

/** How long a leg may take to end after it was hung up: longer than a SIP transaction (64*T1, RFC 3261 §17.1.2.2). */
const LEG_END_GRACE_MS = 40_000;
/** SIP: decline (RFC 3261 §21.6.2). */
const DECLINED = 603;
/** Recovery on timer expiry (Q.850): the engine never told us the end of a leg. */
const LEG_LOST_CAUSE = 102;

export interface LegState {
  readonly legId: string;
  /** Whom a party's line reaches; absent: the caller's own. */
  readonly to?: string;
  /** `ringing` covers every state before the answer. */
  state: 'ringing' | 'connected' | 'ended';
  hasRung: boolean;
  /** It was told to end. */
  isEnding: boolean;
  isHeld: boolean;
  mixId?: string | undefined;
  /** The visit to which a party belongs. */
  owner?: StepRun | undefined;
  grace?: Timer;
}

/** Where the legs of all live calls are known. */
export interface LegRegistry {
  /** From now on this leg tells the run. */
  attach(legId: string): void;
  detach(legId: string): void;
}

export interface LegPorts {
  engine: Pick<Engine, 'dial' | 'send'>;
  switchboard: LegRegistry;
  deadlines: Deadlines;
}

const newLeg = (legId: string): LegState => ({
  legId,
  state: 'ringing',
  hasRung: false,
  isEnding: false,
  isHeld: false,
});

export class Legs {
  /** The caller's own, or that of whom the call was made to. */
  readonly main: LegState;
  readonly #decision: Decision;
  readonly #ports: LegPorts;
  /** By leg; most calls have none. */
  #parties: Map<string, LegState> | undefined;

  constructor(legId: string, decision: Decision, ports: LegPorts) {
    this.main = newLeg(legId);
    this.#decision = decision;
    this.#ports = ports;
  }

  /** Those that have not ended. */
  get parties(): LegState[] {
    return this.#parties ? [...this.#parties.values()] : [];
  }

  get allEnded(): boolean {
    return this.main.state === 'ended' && (this.#parties?.size ?? 0) === 0;
  }

  find(legId: string | undefined): LegState | undefined {
    return legId === undefined ? this.main : this.#parties?.get(legId);
  }

  /** The other line of the mix that this leg is in. */
  peerOf(legId: string): LegState | undefined {
    const leg = legId === this.main.legId ? this.main : this.#parties?.get(legId);
    if (leg?.mixId === undefined) return undefined;
    return [this.main, ...this.parties].find(
      (other) => other !== leg && other.mixId === leg.mixId && other.state === 'connected' && !other.isEnding,
    );
  }

  /** `shown` is what the journal keeps of the command, where it is not the command itself. */
  send(leg: LegState, command: LegCommand, visit: number, shown: LegCommand = command): void {
    if (leg.state === 'ended' || leg.isEnding) return;
    if (command.type === 'hangup' || command.type === 'reject') this.#expectEnd(leg);
    else if (command.type === 'join') leg.mixId = command.mixId;
    else if (command.type === 'leave') leg.mixId = undefined;
    this.#decision.append({ kind: 'command', command: shown, visit, ...this.#legOf(leg) });
    this.#decision.onCommit(() => this.#ports.engine.send(leg.legId, command));
    if (command.type === 'hold' || command.type === 'resume') this.#hold(leg, command.type === 'hold');
  }

  hangUp(leg: LegState, cause: number = NORMAL_CLEARING.code, visit = 0): void {
    this.send(leg, { type: 'hangup', cause }, visit);
  }

  /** What the far end asked for (REFER) is not done. */
  decline(leg: LegState, referId: string, visit = 0): void {
    this.send(leg, { type: 'refer_progress', referId, sipStatus: DECLINED }, visit);
  }

  dial(request: Omit<DialRequest, 'nearLegId'>, owner: StepRun): LegState {
    const { legId, from, to, ringTimeoutMs } = request;
    const leg = this.#add({ ...newLeg(legId), to, owner });
    this.#decision.append({ kind: 'dialled', leg: legId, from, to, visit: owner.number, ringTimeoutMs });
    this.#decision.onCommit(() => {
      this.#ports.switchboard.attach(legId);
      this.#ports.engine.dial({ ...request, nearLegId: this.main.legId });
    });
    return leg;
  }

  /** A party that another call gave up. */
  adopt(legId: string, to: string): LegState {
    return this.#add({ ...newLeg(legId), to, state: 'connected' });
  }

  /** Its last event came, or it is another call's now. */
  end(leg: LegState): void {
    leg.state = 'ended';
    leg.grace?.cancel();
    leg.mixId = undefined;
    if (leg === this.main) return;
    this.#parties?.delete(leg.legId);
    this.#decision.onCommit(() => this.#ports.switchboard.detach(leg.legId));
  }

  /** Behind the crash wall: everybody is let go, and nothing is written. */
  hangUpAll(cause: number, report: (error: unknown) => void): void {
    for (const { legId, state } of [this.main, ...this.parties]) {
      if (state === 'ended') continue;
      try {
        this.#ports.engine.send(legId, { type: 'hangup', cause });
      } catch (error) {
        report(error);
      }
    }
  }

  #add(leg: LegState): LegState {
    this.#parties ??= new Map();
    this.#parties.set(leg.legId, leg);
    return leg;
  }

  #hold(leg: LegState, held: boolean): void {
    leg.isHeld = held;
    if (leg === this.main) this.#decision.append({ kind: 'held', held });
  }

  #expectEnd(leg: LegState): void {
    leg.isEnding = true;
    const lost: CallInput = {
      type: 'leg',
      ...this.#legOf(leg),
      event: { type: 'ended', cause: causeOf(LEG_LOST_CAUSE), by: 'network' },
    };
    leg.grace = this.#ports.deadlines.guard(LEG_END_GRACE_MS, lost);
  }

  #legOf(leg: LegState): { leg?: string } {
    return leg === this.main ? {} : { leg: leg.legId };
  }
}
