/**
 * State of the connection between the call and another party, as the journal and observers see it:
 *
 *   initiated ─► bridging ─► bridged ─► bridge_disconnected
 *       └───────────┴──► failed
 *
 * While `bridging` and `bridged`, that is the state of the call; afterwards the call returns to its earlier state.
 * Invariant: there is one bridge at a time, and each initiated bridge has exactly one end in the journal, also if the
 * call ends with it.
 */
import type { Cause } from '../../base/core/causes.ts';
import { type HangupBy, hangupBy } from '../../base/core/hangup.ts';
import type { LegEvent } from '../../base/core/leg.ts';
import type { BridgeProgress } from '../../language/steps/step.ts';
import type { BackgroundMedia } from './background-media.ts';
import type { CallTransaction } from './call-transaction.ts';
import type { CallRecord } from './journal.ts';

/** Maximum in the record; the journal contains all. */
const MAX_BRIDGES = 20;

type Transfer = Extract<BridgeProgress, { state: 'transferred' | 'untransferred' }>;
type State = Exclude<BridgeProgress['state'], Transfer['state']>;

interface Bridge {
  bridgeId: string;
  from: string;
  to: string;
  state: State;
  stepRun: number;
  /** Index in the record, if it is within the maximum. */
  row: number | undefined;
  /** Party that ended it, if that was not the service. */
  hangupBy?: HangupBy | undefined;
}

export class Bridges {
  readonly #transaction: CallTransaction;
  readonly #record: CallRecord;
  readonly #media: BackgroundMedia;
  #bridge: Bridge | undefined;

  constructor(transaction: CallTransaction, media: BackgroundMedia) {
    this.#transaction = transaction;
    this.#record = transaction.record;
    this.#media = media;
  }

  get isBridged(): boolean {
    return this.#bridge?.state === 'bridged';
  }

  /** Id of the current bridge, connected or not. */
  get bridgeId(): string | undefined {
    return this.#bridge?.bridgeId;
  }

  progress(progress: BridgeProgress, stepRun: number): void {
    if (progress.state === 'initiated') this.#start(progress, stepRun);
    else if (progress.state === 'transferred' || progress.state === 'untransferred') this.#transfer(progress);
    else this.#continue(progress, stepRun);
  }

  #transfer(transfer: Transfer): void {
    const bridge = this.#bridge;
    if (!bridge) return;
    const { channelId, to } = transfer;
    const about = { channelId, bridgeId: bridge.bridgeId, from: transfer.from ?? bridge.from, to };
    if (transfer.state === 'transferred') this.#transaction.append({ kind: 'transferred', ...about });
    else this.#transaction.append({ kind: 'untransferred', ...about, cause: transfer.cause });
  }

  #continue(progress: Exclude<BridgeProgress, Transfer | { state: 'initiated' }>, stepRun: number): void {
    const bridge = this.#bridge;
    if (!bridge) return;
    bridge.stepRun = stepRun;
    if (bridge.state === progress.state && bridge.to === progress.to) return;
    // A far end that rings after another one answered changes nothing.
    if (progress.state === 'bridging' && bridge.state === 'bridged') return;
    const cause = 'cause' in progress ? progress.cause : undefined;
    this.#move(bridge, progress.state, progress.to, cause);
  }

  /** The step run that reported it last is over; the bridge remains if its party is kept. */
  leave(stepRun: number, stays: boolean): void {
    if (this.#bridge?.stepRun === stepRun && !stays) this.close();
  }

  /** The leg of a party has ended, in the current bridge or in one that ended before it. */
  partyEnded(to: string | undefined, { by, sip }: Extract<LegEvent, { type: 'ended' }>): void {
    const bridge = this.#bridge;
    if (bridge && bridge.to === to && by !== 'near') bridge.hangupBy = hangupBy(by, 'callee');
    const rows = this.#record.bridges ?? [];
    const row = rows.findLastIndex((one) => one.to === to);
    if (sip && row >= 0) this.#record.bridges = rows.with(row, { ...rows[row]!, sip });
  }

  /** Ends the bridge, because the peer is gone. */
  close(cause?: Cause): void {
    const bridge = this.#bridge;
    if (!bridge) return;
    this.#move(bridge, bridge.state === 'bridged' ? 'bridge_disconnected' : 'failed', bridge.to, cause);
  }

  #callerOrService(): HangupBy {
    const { hangupBy: ofCall = 'service' } = this.#record;
    return ofCall === 'callee' ? 'caller' : ofCall;
  }

  #start({ bridgeId, from, to }: Extract<BridgeProgress, { state: 'initiated' }>, stepRun: number): void {
    this.close();
    const rows = this.#record.bridges ?? [];
    const row = rows.length < MAX_BRIDGES ? rows.length : undefined;
    if (row !== undefined) this.#record.bridges = [...rows, { to, startedMs: this.#transaction.nowMs }];
    this.#bridge = { bridgeId, from, to, state: 'initiated', stepRun, row };
    this.#transaction.append({ kind: 'bridge', bridgeId, state: 'initiated', from, to });
  }

  #move(bridge: Bridge, state: State, to: string, cause: Cause | undefined): void {
    const { bridgeId, from, row } = bridge;
    const { nowMs } = this.#transaction;
    const isOver = state === 'failed' || state === 'bridge_disconnected';
    bridge.state = state;
    bridge.to = to;
    if (!isOver) bridge.hangupBy = undefined;
    const rows = this.#record.bridges;
    if (rows && row !== undefined) {
      this.#record.bridges = rows.with(row, {
        ...rows[row]!,
        to,
        ...(state === 'bridged' ? { answeredMs: nowMs } : {}),
        ...(isOver ? { endedMs: nowMs, hangupBy: bridge.hangupBy ?? this.#callerOrService() } : {}),
        ...(isOver && cause ? { cause } : {}),
      });
    }
    if (state !== 'initiated' && state !== 'failed') this.#record.state = state;
    this.#transaction.append({ kind: 'bridge', bridgeId, state, from, to, cause });
    if (!isOver) return;
    this.#bridge = undefined;
    this.#record.state = this.#record.answeredMs === undefined ? 'incomingcall' : 'connected';
    this.#media.endWithBridge(bridgeId);
  }
}
