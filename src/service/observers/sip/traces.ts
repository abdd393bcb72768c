/**
 * Keeps the SIP messages of live calls, and writes those of failed calls, or of all, when they end. The engine passes
 * messages by Call-ID and assigns each Call-ID to a leg; the journal assigns legs to calls. Neighbours: `mask.ts`,
 * `trace-store.ts`; `base/core/sip-capture.ts` defines the input.
 *
 * Invariants
 *  - Only masked messages are written or shown.
 *  - Memory is bounded: by messages and bytes per Call-ID, by legs per call, and by total bytes; the first messages of
 *    a call are kept longest.
 *  - Nothing here waits for the store or makes a call fail.
 */
import { isNetworkFault, isSipRefusal } from '../../../base/core/causes.ts';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { LegEvent } from '../../../base/core/leg.ts';
import type { CapturedSip, PassingSip, SipTap } from '../../../base/core/sip-capture.ts';
import type { CallRecord, JournalEntry, JournalEntryOf } from '../../runtime/journal.ts';
import type { SipMask } from './mask.ts';
import type { SipTraceStore } from './trace-store.ts';

export interface SipTraceLimits {
  /** Maximum number of messages per Call-ID. */
  messages: number;
  bytes: number;
  /** Per call; legs that ended first are dropped first, except the main leg. */
  legs: number;
  /** Call-IDs without a call: refused, or not yet assigned. */
  strays: number;
  totalBytes: number;
}

const LIMITS: SipTraceLimits = { messages: 100, bytes: 128 * 1024, legs: 40, strays: 500, totalBytes: 64 * 2 ** 20 };
/** Messages kept at the beginning of each Call-ID. */
const FIRST_MESSAGES = 20;
/** The response to a BYE sent by the service arrives after the end. */
const SETTLE_MS = 1_000;
/** Longer than any transaction (64*T1). */
const LATE_MS = 35_000;

interface Dialog {
  readonly callId: string;
  legId?: string;
  messages: CapturedSip[];
  bytes: number;
}

interface TracedCall {
  readonly callId: string;
  /** Leg ids, the main leg first. */
  readonly legs: Set<string>;
  hasFailed: boolean;
  isOver: boolean;
  readonly timers: Timer[];
}

export interface SipTracesParts {
  keep: 'failed' | 'all';
  clock: Clock;
  store: SipTraceStore;
  mask: SipMask;
  failed(error: unknown): void;
  limits?: Partial<SipTraceLimits>;
}

export class SipTraces implements SipTap {
  readonly #parts: SipTracesParts;
  readonly #limits: SipTraceLimits;
  readonly #dialogs = new Map<string, Dialog>();
  /** Dialogs without a call, oldest first. */
  readonly #strays = new Set<Dialog>();
  readonly #dialogsOfLeg = new Map<string, Set<Dialog>>();
  /** Calls, oldest first. */
  readonly #calls = new Map<string, TracedCall>();
  readonly #callOfLeg = new Map<string, TracedCall>();
  #totalBytes = 0;

  constructor(parts: SipTracesParts) {
    this.#parts = parts;
    this.#limits = { ...LIMITS, ...parts.limits };
  }

  /** Memory usage, for tests. */
  get size(): { dialogs: number; calls: number; bytes: number } {
    return { dialogs: this.#dialogs.size, calls: this.#calls.size, bytes: this.#totalBytes };
  }

  message({ callId, bytes, local, direction, transport, remote }: PassingSip): void {
    const dialog = this.#dialogs.get(callId) ?? (isInvite(bytes) ? this.#newDialog(callId) : undefined);
    // Registrations, OPTIONS, and calls that are over.
    if (!dialog) return;
    const { messages, bytes: mostBytes, totalBytes } = this.#limits;
    const text = bytes.toString('latin1', 0, mostBytes);
    dialog.messages.push({ atMs: this.#parts.clock.now(), direction, transport, remote, local: local(), text });
    this.#count(dialog, Math.min(bytes.length, mostBytes));
    while (dialog.messages.length > messages || dialog.bytes > mostBytes) {
      const [gone] = dialog.messages.splice(Math.min(FIRST_MESSAGES, dialog.messages.length - 1), 1);
      this.#count(dialog, -gone!.text.length);
    }
    while (this.#totalBytes > totalBytes && this.#makeRoom());
  }

  associate(callId: string, legId: string): void {
    const dialog = this.#dialogs.get(callId) ?? this.#newDialog(callId);
    dialog.legId = legId;
    const dialogs = this.#dialogsOfLeg.get(legId);
    if (dialogs) dialogs.add(dialog);
    else this.#dialogsOfLeg.set(legId, new Set([dialog]));
    if (this.#callOfLeg.has(legId)) this.#strays.delete(dialog);
  }

  readonly observe = (entry: JournalEntry, record: CallRecord): void => {
    if (entry.kind === 'in') this.#onInput(entry, record.callId);
    else if (entry.kind === 'started' && entry.leg !== undefined) this.#adopt(record.callId, entry.leg);
    else if (entry.kind === 'dialled') this.#adopt(record.callId, entry.leg);
    else if (entry.kind === 'ended') this.#onEnd(entry, record);
  };

  #onInput({ input }: JournalEntryOf<'in'>, callId: string): void {
    if (input.type === 'taken_over' && input.leg !== undefined) this.#adopt(callId, input.leg);
    if (input.type !== 'leg' || input.event.type !== 'ended') return;
    const call = this.#calls.get(callId);
    if (call && isFailure(input.event)) call.hasFailed = true;
  }

  #adopt(callId: string, legId: string): void {
    const call: TracedCall = this.#calls.get(callId) ?? {
      callId,
      legs: new Set(),
      hasFailed: false,
      isOver: false,
      timers: [],
    };
    this.#calls.set(callId, call);
    // A leg that was taken over belongs to both calls; its earlier messages belong to the first, too.
    this.#callOfLeg.set(legId, call);
    call.legs.add(legId);
    for (const dialog of this.#dialogsOfLeg.get(legId) ?? []) this.#strays.delete(dialog);
    if (call.legs.size <= this.#limits.legs) return;
    const [, second] = call.legs;
    call.legs.delete(second!);
    this.#forgetLeg(second!, call);
  }

  #onEnd({ reason }: JournalEntryOf<'ended'>, record: CallRecord): void {
    const call = this.#calls.get(record.callId);
    if (!call) return;
    call.isOver = true;
    call.hasFailed ||= record.state === 'failed' || reason === 'fault' || reason === 'lost';
    if (!this.#isKept(call)) {
      this.#forget(call);
      return;
    }
    const { clock } = this.#parts;
    call.timers.push(
      clock.after(SETTLE_MS, () => void this.#write(call)),
      clock.after(LATE_MS, () => {
        void this.#write(call);
        this.#forget(call);
      }),
    );
  }

  #isKept({ hasFailed }: TracedCall): boolean {
    return this.#parts.keep === 'all' || hasFailed;
  }

  /** Stored messages, and those not written yet. */
  list(callId: string): CapturedSip[] {
    const call = this.#calls.get(callId);
    return [...this.#parts.store.list(callId), ...(call ? this.#messagesOf(call) : [])];
  }

  /** Writes pending messages. */
  async close(): Promise<void> {
    const calls = [...this.#calls.values()].filter((call) => call.isOver);
    await Promise.all(calls.map((call) => this.#write(call)));
    for (const call of calls) this.#forget(call);
  }

  #messagesOf({ legs }: TracedCall): CapturedSip[] {
    const inOrder = this.#dialogsOf(legs)
      .flatMap(({ messages }) => messages)
      .sort((one, other) => one.atMs - other.atMs);
    return inOrder.map((message) => ({ ...message, text: this.#parts.mask(message.text) }));
  }

  #dialogsOf(legs: Iterable<string>): Dialog[] {
    return [...legs].flatMap((leg) => [...(this.#dialogsOfLeg.get(leg) ?? [])]);
  }

  async #write(call: TracedCall): Promise<void> {
    const messages = this.#messagesOf(call);
    if (messages.length === 0) return;
    for (const dialog of this.#dialogsOf(call.legs)) this.#empty(dialog);
    await this.#parts.store.append(call.callId, messages).catch(this.#parts.failed);
  }

  #newDialog(callId: string): Dialog {
    const dialog: Dialog = { callId, messages: [], bytes: 0 };
    this.#dialogs.set(callId, dialog);
    this.#strays.add(dialog);
    if (this.#strays.size > this.#limits.strays) this.#forgetStray();
    return dialog;
  }

  /** False if nothing can be dropped. */
  #makeRoom(): boolean {
    if (this.#strays.size > 1) return this.#forgetStray();
    for (const call of this.#calls.values()) {
      const full = this.#dialogsOf(call.legs).filter(({ bytes }) => bytes > 0);
      for (const dialog of full) this.#empty(dialog);
      if (full.length > 0) return true;
    }
    return this.#forgetStray();
  }

  #forgetStray(): boolean {
    const [oldest] = this.#strays;
    if (oldest) this.#forgetDialog(oldest);
    return oldest !== undefined;
  }

  #forget(call: TracedCall): void {
    this.#calls.delete(call.callId);
    for (const timer of call.timers) timer.cancel();
    for (const leg of call.legs) this.#forgetLeg(leg, call);
  }

  #forgetLeg(leg: string, call: TracedCall): void {
    if (this.#callOfLeg.get(leg) !== call) return;
    this.#callOfLeg.delete(leg);
    for (const dialog of this.#dialogsOfLeg.get(leg) ?? []) this.#forgetDialog(dialog);
    this.#dialogsOfLeg.delete(leg);
  }

  #forgetDialog(dialog: Dialog): void {
    this.#empty(dialog);
    this.#strays.delete(dialog);
    this.#dialogs.delete(dialog.callId);
    const ofLeg = this.#dialogsOfLeg.get(dialog.legId ?? '');
    ofLeg?.delete(dialog);
    if (ofLeg?.size === 0) this.#dialogsOfLeg.delete(dialog.legId!);
  }

  #empty(dialog: Dialog): void {
    dialog.messages = [];
    this.#count(dialog, -dialog.bytes);
  }

  #count(dialog: Dialog, bytes: number): void {
    dialog.bytes += bytes;
    this.#totalBytes += bytes;
  }
}

/** True for `INVITE `, which starts a call. */
const isInvite = (bytes: Buffer): boolean => bytes[0] === 0x49 && bytes.toString('latin1', 0, 7) === 'INVITE ';

function isFailure({ by, cause, sip }: Extract<LegEvent, { type: 'ended' }>): boolean {
  const hasRefusal = isSipRefusal(sip?.status) || (sip?.attempts ?? []).some(({ status }) => isSipRefusal(status));
  return by === 'network' || hasRefusal || isNetworkFault(cause);
}
