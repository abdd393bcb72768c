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
import type { RunInput } from './journal.ts';
import type { Visit } from './visit.ts';

/** How long a leg may take to end after it was hung up: longer than a SIP transaction (64*T1, RFC 3261 §17.1.2.2). */
const LEG_END_GRACE_MS = 40_000;
/** SIP: decline (RFC 3261 §21.6.2). */
const DECLINED = 603;
/** Recovery on timer expiry (Q.850): the engine never told us the end of a leg. */
const LEG_LOST_CAUSE = 102;

export interface Line {
  readonly legId: string;
  /** Whom a party's line reaches; absent: the caller's own. */
  readonly to?: string;
  /** `ringing` covers every state before the answer. */
  state: 'ringing' | 'connected' | 'ended';
  rang: boolean;
  /** It was told to end. */
  leaving: boolean;
  held: boolean;
  mixId?: string | undefined;
  /** The visit to which a party belongs. */
  owner?: Visit | undefined;
  grace?: Timer;
}

/** Where the legs of all live calls are known. */
export interface Switchboard {
  /** From now on this leg tells the run. */
  connect(legId: string): void;
  disconnect(legId: string): void;
}

export interface LinePorts {
  engine: Pick<Engine, 'dial' | 'send'>;
  switchboard: Switchboard;
  deadlines: Deadlines;
}

const newLine = (legId: string): Line => ({ legId, state: 'ringing', rang: false, leaving: false, held: false });

export class Lines {
  /** The caller's own, or that of whom the call was made to. */
  readonly main: Line;
  readonly #decision: Decision;
  readonly #ports: LinePorts;
  /** By leg; most calls have none. */
  #parties: Map<string, Line> | undefined;

  constructor(legId: string, decision: Decision, ports: LinePorts) {
    this.main = newLine(legId);
    this.#decision = decision;
    this.#ports = ports;
  }

  /** Those that have not ended. */
  get parties(): Line[] {
    return this.#parties ? [...this.#parties.values()] : [];
  }

  get allEnded(): boolean {
    return this.main.state === 'ended' && (this.#parties?.size ?? 0) === 0;
  }

  find(legId: string | undefined): Line | undefined {
    return legId === undefined ? this.main : this.#parties?.get(legId);
  }

  /** The other line of the mix that this leg is in. */
  counterpart(legId: string): Line | undefined {
    const line = legId === this.main.legId ? this.main : this.#parties?.get(legId);
    if (line?.mixId === undefined) return undefined;
    return [this.main, ...this.parties].find(
      (other) => other !== line && other.mixId === line.mixId && other.state === 'connected' && !other.leaving,
    );
  }

  /** `shown` is what the journal keeps of the command, where it is not the command itself. */
  send(line: Line, command: LegCommand, visit: number, shown: LegCommand = command): void {
    if (line.state === 'ended' || line.leaving) return;
    if (command.type === 'hangup' || command.type === 'reject') this.#expectEnd(line);
    else if (command.type === 'join') line.mixId = command.mixId;
    else if (command.type === 'leave') line.mixId = undefined;
    this.#decision.note({ kind: 'command', command: shown, visit, ...this.#legOf(line) });
    this.#decision.effect(() => this.#ports.engine.send(line.legId, command));
    if (command.type === 'hold' || command.type === 'resume') this.#hold(line, command.type === 'hold');
  }

  hangUp(line: Line, cause: number = NORMAL_CLEARING.code, visit = 0): void {
    this.send(line, { type: 'hangup', cause }, visit);
  }

  /** What the far end asked for (REFER) is not done. */
  decline(line: Line, referId: string, visit = 0): void {
    this.send(line, { type: 'refer_progress', referId, sipStatus: DECLINED }, visit);
  }

  dial(request: Omit<DialRequest, 'nearLegId'>, owner: Visit): Line {
    const { legId, from, to, ringTimeoutMs } = request;
    const line = this.#add({ ...newLine(legId), to, owner });
    this.#decision.note({ kind: 'dialled', leg: legId, from, to, visit: owner.number, ringTimeoutMs });
    this.#decision.effect(() => {
      this.#ports.switchboard.connect(legId);
      this.#ports.engine.dial({ ...request, nearLegId: this.main.legId });
    });
    return line;
  }

  /** A party that another call gave up. */
  adopt(legId: string, to: string): Line {
    return this.#add({ ...newLine(legId), to, state: 'connected' });
  }

  /** Its last event came, or it is another call's now. */
  end(line: Line): void {
    line.state = 'ended';
    line.grace?.cancel();
    line.mixId = undefined;
    if (line === this.main) return;
    this.#parties?.delete(line.legId);
    this.#decision.effect(() => this.#ports.switchboard.disconnect(line.legId));
  }

  /** Behind the crash wall: everybody is let go, and nothing is written. */
  drop(cause: number, report: (error: unknown) => void): void {
    for (const { legId, state } of [this.main, ...this.parties]) {
      if (state === 'ended') continue;
      try {
        this.#ports.engine.send(legId, { type: 'hangup', cause });
      } catch (error) {
        report(error);
      }
    }
  }

  #add(line: Line): Line {
    this.#parties ??= new Map();
    this.#parties.set(line.legId, line);
    return line;
  }

  #hold(line: Line, held: boolean): void {
    line.held = held;
    if (line === this.main) this.#decision.note({ kind: 'held', held });
  }

  #expectEnd(line: Line): void {
    line.leaving = true;
    const lost: RunInput = {
      type: 'leg',
      ...this.#legOf(line),
      event: { type: 'ended', cause: causeOf(LEG_LOST_CAUSE), by: 'network' },
    };
    line.grace = this.#ports.deadlines.guard(LEG_END_GRACE_MS, lost);
  }

  #legOf(line: Line): { leg?: string } {
    return line === this.main ? {} : { leg: line.legId };
  }
}
