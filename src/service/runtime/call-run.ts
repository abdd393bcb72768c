/**
 * The core of the runtime: runs one call to its end. Takes one input from the mailbox, makes the decision (routes, step
 * programs, expressions), commits it in one write, then performs its effects.
 *
 * Neighbours: `input-handler.ts` and `command-handler.ts` decide what an input changes, `flow-executions.ts` runs the
 * flows, `call-context.ts` holds the state of the call, `call-transaction.ts` commits, `supervisor.ts` keeps the runs.
 *
 * Invariants
 *  R1 Inputs are handled one at a time, each until the step programs wait or the run is over.
 *  - Time is constant while an input is handled: `nowMs` is when it was taken, so that a replay sees the same time.
 *  R3 No command, request or reply is sent before its decision is committed.
 *  R4 An error ends only this call: all its legs are hung up, and its end is written.
 *  R5 A run ends exactly once, after all its legs have ended.
 *  R6 After another node has adopted the call, the run has no further effects and writes nothing.
 */
import { NORMAL_CLEARING, TEMPORARY_FAILURE } from '../../base/core/causes.ts';
import { fault } from '../../base/core/fault.ts';
import { defined } from '../../base/core/json.ts';
import type { LegEvent } from '../../base/core/leg.ts';
import { Fenced, FIRST_FENCE } from '../../base/core/ownership.ts';
import { CallContext } from './call-context.ts';
import { CommandHandler } from './command-handler.ts';
import { FlowExecutions } from './flow-executions.ts';
import { InputHandler } from './input-handler.ts';
import type { CallCommand, CallInput, CallRecord, CommandReply, CommandSource, NewEntry } from './journal.ts';
import type { LegState } from './legs.ts';
import { jsonSize } from './limits.ts';
import type { CallSpec, LegRegistry, LegTransfer, RuntimePorts } from './ports.ts';
import type { TypedAhead } from './typed-ahead.ts';

/** Maximum characters of a flow's output in the record; the journal contains all of it. */
const MAX_RECORD_OUTPUT = 1000;

/** Registry for a call without other calls. */
const NO_REGISTRY: LegRegistry = { attach: () => undefined, detach: () => undefined, takeOver: () => undefined };

type MailboxItem =
  | { input: CallInput; reply?: (reply: CommandReply) => void }
  /** An entry that is not caused by an input, in a journal that is replayed. */
  | { entry: NewEntry }
  /** Another node has adopted the call. */
  | { taken: true }
  /** Another call requests the peer of this leg. */
  | { peerOf: string; answer(transfer: LegTransfer | undefined): void };

/** Answers of `written` that all runs share. */
const WRITTEN = Promise.resolve(true);
const LOST = Promise.resolve(false);

export interface CallView {
  record: CallRecord;
  legState: LegState['state'];
  flow: string | undefined;
  step: string | undefined;
  verb: string | undefined;
}

export class CallRun {
  readonly done: Promise<void>;
  /** True after its flow and all its legs have ended, or it crashed. */
  isOver = false;
  readonly #call: CallContext;
  readonly #executions: FlowExecutions;
  readonly #commands: CommandHandler;
  readonly #inputs: InputHandler;
  #finish!: () => void;
  /** Inputs wait here for their turn, so that a call needs no locks. */
  #mailbox: MailboxItem[] = [];
  /** True while it takes inputs from the mailbox: a run that waits for one keeps no promise for it. */
  #isAwake = false;
  #hasStarted = false;
  #isClosed = false;
  /** Settled with the first decision; undefined before, unless requested, and then replaced by a shared promise. */
  #written: PromiseWithResolvers<boolean> | Promise<boolean> | undefined;

  constructor(spec: CallSpec, ports: RuntimePorts, registry: LegRegistry = NO_REGISTRY) {
    this.#call = new CallContext(spec, ports, registry, (input) => this.post(input));
    this.#executions = new FlowExecutions(this.#call);
    this.#commands = new CommandHandler(this.#call, this.#executions);
    this.#inputs = new InputHandler(this.#call, this.#executions, this.#commands);
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Resolves when the first decision is written, and thus survives the process; false if the write failed. */
  get written(): Promise<boolean> {
    this.#written ??= Promise.withResolvers<boolean>();
    return this.#written instanceof Promise ? this.#written : this.#written.promise;
  }

  get record(): CallRecord {
    return this.#call.record;
  }

  get legId(): string {
    return this.#call.spec.legId;
  }

  /** Ids of the main leg, and of the parties that have not ended. */
  get legIds(): string[] {
    return [this.legId, ...this.#call.legs.parties.map(({ legId }) => legId)];
  }

  /** Count of its journal entries, including the transaction in progress. */
  get journalLength(): number {
    return this.#call.transaction.length;
  }

  /** Digits that no step has read. */
  get typedAhead(): TypedAhead {
    return this.#call.typedAhead;
  }

  /** True if an active step takes sensitive input. */
  get takesSensitive(): boolean {
    return this.#executions.isSensitive;
  }

  /** Starts the run; resolves as `done`. */
  start(): Promise<void> {
    this.#hasStarted = true;
    this.post({ type: 'start' });
    return this.done;
  }

  post(input: CallInput): void {
    this.#receive({ input });
  }

  /** Writes an entry that is not caused by an input, from the journal that this run replays. */
  append(entry: NewEntry): void {
    this.#receive({ entry });
  }

  /** Sends a command to the live call; the reply comes after the decision is committed. */
  command(command: CallCommand, source?: CommandSource): Promise<CommandReply> {
    if (this.isOver) return Promise.resolve({ ok: false, refusal: 'ended' });
    const input = defined<CallInput>({ type: 'command', command, source });
    return new Promise((reply) => this.#receive({ input, reply }));
  }

  /** Gives the peer of this leg to another call; answers after that is committed here. */
  releasePeer(peerOf: string, answer: (transfer: LegTransfer | undefined) => void): void {
    if (this.isOver) answer(undefined);
    else this.#receive({ peerOf, answer });
  }

  /** Ends the run, because another node has adopted the call. */
  letGo(): void {
    this.#receive({ taken: true });
  }

  view(): CallView {
    const { frame, stepRun } = this.#executions.main;
    return {
      record: this.record,
      legState: this.#call.legs.main.state,
      flow: frame?.flow.name,
      step: stepRun?.step.name,
      verb: stepRun?.step.verb,
    };
  }

  /** Puts the item into the mailbox, and wakes the run; items after its end are ignored. */
  #receive(item: MailboxItem): void {
    if (this.#isClosed) return;
    this.#mailbox.push(item);
    if (!this.#hasStarted || this.#isAwake) return;
    this.#isAwake = true;
    void this.#work();
  }

  /** Handles inputs until the mailbox is empty, or the run is over. */
  async #work(): Promise<void> {
    const call = this.#call;
    let item: MailboxItem | undefined;
    try {
      // The sender continues first.
      await undefined;
      while (!this.isOver) {
        item = this.#mailbox.shift();
        if (!item) {
          this.#mailbox = [];
          this.#isAwake = false;
          return;
        }
        call.clock.advance();
        call.stepsAtOnce = 0;
        await this.#handle(item);
        this.#endIfAlone();
        const written = call.transaction.commit(() => this.#executions.checkpoint());
        if (written) await written;
        this.#settleWritten(true);
      }
    } catch (error) {
      this.#settleWritten(call.transaction.isCommitted);
      if (error instanceof Fenced) this.#letGo();
      else await this.#crash(error);
      if (item) this.#refuse(item);
    }
    this.#isClosed = true;
    for (const left of this.#mailbox.splice(0)) this.#refuse(left);
    call.release();
    this.#finish();
  }

  #settleWritten(isWritten: boolean): void {
    if (this.#written instanceof Promise) return;
    this.#written?.resolve(isWritten);
    this.#written = isWritten ? WRITTEN : LOST;
  }

  async #handle(item: MailboxItem): Promise<void> {
    if ('entry' in item) return this.#call.append(item.entry);
    if ('taken' in item) {
      const { owner, fence = FIRST_FENCE } = this.#call.ports;
      throw new Fenced(this.record.callId, { owner, fence });
    }
    if ('peerOf' in item) return this.#releasePeer(item);
    const { input, reply } = item;
    this.#call.transaction.setInput(input);
    if (input.type !== 'command') return this.#inputs.handle(input);
    const answer = await this.#commands.handle(input);
    if (reply) this.#call.transaction.onCommit(() => reply(answer));
  }

  async #releasePeer({ peerOf, answer }: Extract<MailboxItem, { peerOf: string }>): Promise<void> {
    const { legs, closing, record, transaction } = this.#call;
    const leg = closing ? undefined : legs.peerOf(peerOf);
    if (!leg) return transaction.onCommit(() => answer(undefined));
    const { legId, to = record.direction === 'outbound' ? record.to : record.from } = leg;
    const givenUp = { type: 'given_up', leg: legId } as const;
    transaction.setInput(givenUp);
    await this.#inputs.handle(givenUp);
    transaction.onCommit(() => answer({ leg: legId, to, unread: this.#takeUnread(leg) }));
  }

  /** Removes unread events of the leg, which now belong to another call. */
  #takeUnread(leg: LegState): LegEvent[] {
    const party = leg === this.#call.legs.main ? undefined : leg.legId;
    const unread: LegEvent[] = [];
    this.#mailbox = this.#mailbox.filter((item) => {
      if (!('input' in item) || item.input.type !== 'leg' || item.input.leg !== party) return true;
      unread.push(item.input.event);
      return false;
    });
    return unread;
  }

  /** Settles the pending reply of an item after the end of the run. */
  #refuse(item: MailboxItem): void {
    if ('entry' in item || 'taken' in item) return;
    if ('peerOf' in item) {
      item.answer(undefined);
      return;
    }
    item.reply?.({ ok: false, refusal: 'ended' });
    const { input } = item;
    if (input.type !== 'taken_over' || input.leg === undefined) return;
    this.#call.ports.engine.send(input.leg, { type: 'hangup', cause: NORMAL_CLEARING.code });
  }

  /** R5 */
  #endIfAlone(): void {
    const { closing, legs, mask, record } = this.#call;
    if (!closing || !legs.allEnded) return;
    const { output = null } = closing;
    if (output !== null && jsonSize(output) <= MAX_RECORD_OUTPUT) record.output = mask.apply(output);
    this.#call.append({ kind: 'ended', ...closing, output: output ?? undefined });
    this.isOver = true;
  }

  /** R6 */
  #letGo(): void {
    const { transaction, legs, memberships, ports } = this.#call;
    this.isOver = true;
    transaction.rollback();
    legs.letGo((error) => this.#report(error));
    memberships.abandon((error) => this.#report(error));
    ports.onFenced?.(this.record.callId);
  }

  /** R4 */
  async #crash(error: unknown): Promise<void> {
    const { transaction, legs, record, isAnswered, memberships, recordings } = this.#call;
    this.isOver = true;
    const lost = transaction.rollback();
    this.#report(error);
    try {
      if (legs.main.state !== 'ended') {
        this.#call.endRecord(TEMPORARY_FAILURE, !isAnswered && record.direction === 'outbound');
      } else if (lost.some(({ kind }) => kind === 'state')) {
        // The end of the main leg was in the decision that was rolled back: write it again.
        transaction.appendEndings(record.cause ?? TEMPORARY_FAILURE);
        this.#call.setState(record.state, record.cause);
      }
    } catch (second) {
      this.#report(second);
    }
    legs.hangUpAll(TEMPORARY_FAILURE.code, (second) => this.#report(second));
    memberships.abandon((second) => this.#report(second));
    recordings.abandon();
    const message = error instanceof Error ? error.message : String(error);
    this.#call.append({ kind: 'ended', reason: 'fault', fault: fault('internal', message) });
    try {
      await transaction.commit(() => this.#executions.checkpoint());
    } catch (third) {
      this.#report(third);
    }
  }

  #report(error: unknown): void {
    try {
      this.#call.ports.onCrash(this.record.callId, error);
    } catch {
      // An error in the error handler must not prevent the end of the call.
    }
  }
}
