/**
 * How the call is connected with somebody else, as observers and the book are told of it:
 *
 *   initiated ─► bridging ─► bridged ─► bridge_disconnected
 *       └───────────┴──► failed
 *
 * While `bridging` and `bridged` that is the state of the call; after that the call is what it was.
 * Invariant: there is one bridge at a time, and each that was initiated comes to one end, which is told, also where
 * it is the end of the call.
 */
import type { Cause } from '../core/causes.ts';
import type { BridgeProgress } from '../steps/step.ts';
import type { Decision } from './decision.ts';
import type { CallRecord } from './journal.ts';

/** In the record; the journal has all. */
const MAX_BRIDGES = 20;

type BridgeRow = NonNullable<CallRecord['bridges']>[number];
type Transfer = Extract<BridgeProgress, { state: 'transferred' | 'untransferred' }>;
type State = Exclude<BridgeProgress['state'], Transfer['state']>;

interface Bridge {
  bridgeId: string;
  from: string;
  to: string;
  state: State;
  visit: number;
  /** Its place in the record, where it has one. */
  row: number | undefined;
}

export class Bridges {
  readonly #decision: Decision;
  readonly #record: CallRecord;
  readonly #ended: (bridgeId: string) => void;
  #bridge: Bridge | undefined;

  /** `ended` is called after the end of a bridge was told. */
  constructor(decision: Decision, record: CallRecord, ended: (bridgeId: string) => void) {
    this.#decision = decision;
    this.#record = record;
    this.#ended = ended;
  }

  get isBridged(): boolean {
    return this.#bridge?.state === 'bridged';
  }

  /** Of the bridge there is, talking or not yet. */
  get bridgeId(): string | undefined {
    return this.#bridge?.bridgeId;
  }

  progress(progress: BridgeProgress, visit: number): void {
    if (progress.state === 'initiated') this.#begin(progress, visit);
    else if (progress.state === 'transferred' || progress.state === 'untransferred') this.#transfer(progress);
    else this.#goOn(progress, visit);
  }

  #transfer(told: Transfer): void {
    const bridge = this.#bridge;
    if (!bridge) return;
    const { channelId, to } = told;
    const about = { channelId, bridgeId: bridge.bridgeId, from: told.from ?? bridge.from, to };
    if (told.state === 'transferred') this.#decision.append({ kind: 'transferred', ...about });
    else this.#decision.append({ kind: 'untransferred', ...about, cause: told.cause });
  }

  #goOn(progress: Exclude<BridgeProgress, Transfer | { state: 'initiated' }>, visit: number): void {
    const bridge = this.#bridge;
    if (!bridge) return;
    bridge.visit = visit;
    if (bridge.state === progress.state && bridge.to === progress.to) return;
    // A far end that rings after another one answered changes nothing.
    if (progress.state === 'bridging' && bridge.state === 'bridged') return;
    const cause = 'cause' in progress ? progress.cause : undefined;
    this.#move(bridge, progress.state, progress.to, cause);
  }

  /** The visit that spoke of it last is over; it stays where a party stays. */
  leave(visit: number, stays: boolean): void {
    if (this.#bridge?.visit === visit && !stays) this.close();
  }

  /** Whoever it was with is gone. */
  close(cause?: Cause): void {
    const bridge = this.#bridge;
    if (!bridge) return;
    this.#move(bridge, bridge.state === 'bridged' ? 'bridge_disconnected' : 'failed', bridge.to, cause);
  }

  #begin({ bridgeId, from, to }: Extract<BridgeProgress, { state: 'initiated' }>, visit: number): void {
    this.close();
    const rows = this.#record.bridges ?? [];
    const row = rows.length < MAX_BRIDGES ? rows.length : undefined;
    if (row !== undefined) this.#record.bridges = [...rows, { to, startedMs: this.#decision.nowMs }];
    this.#bridge = { bridgeId, from, to, state: 'initiated', visit, row };
    this.#decision.append({ kind: 'bridge', bridgeId, state: 'initiated', from, to });
  }

  #move(bridge: Bridge, state: State, to: string, cause: Cause | undefined): void {
    const { bridgeId, from } = bridge;
    const { nowMs } = this.#decision;
    const isOver = state === 'failed' || state === 'bridge_disconnected';
    bridge.state = state;
    bridge.to = to;
    this.#write(bridge, {
      to,
      ...(state === 'bridged' ? { answeredMs: nowMs } : {}),
      ...(isOver ? { endedMs: nowMs } : {}),
      ...(isOver && cause ? { cause } : {}),
    });
    if (state !== 'initiated' && state !== 'failed') this.#record.state = state;
    this.#decision.append({ kind: 'bridge', bridgeId, state, from, to, ...(cause ? { cause } : {}) });
    if (!isOver) return;
    this.#bridge = undefined;
    this.#record.state = this.#record.answeredMs === undefined ? 'incomingcall' : 'connected';
    this.#ended(bridgeId);
  }

  #write({ row }: Bridge, change: Partial<BridgeRow>): void {
    const rows = this.#record.bridges;
    if (rows && row !== undefined) this.#record.bridges = rows.with(row, { ...rows[row]!, ...change });
  }
}
