/**
 * The heart: carries one call to its end.
 *
 * It takes one input from the mailbox, decides (routes, step programs, expressions), commits the decision in one write,
 * then does it. Neighbours: `inputs.ts` says whose an input is, `call.ts` what there is of the call, `ways.ts` is the way
 * through the flows, `command-desk.ts` what REST asks, `journal.ts` the book, `supervisor.ts` keeps the runs.
 *
 * Invariants
 *  R1 inputs are handled one at a time, each until the step programs wait or the run is over;
 *  R2 within one input time stands still: `nowMs` is when the input was taken, so that a replay sees the same time;
 *  R3 no command, request or reply leaves before the decision behind it is committed;
 *  R4 what breaks ends this call and no other: everybody on it is let go, and the end is written (the crash wall);
 *  R5 a run ends exactly once, after all its legs have ended.
 */
import { NORMAL_CLEARING, TEMPORARY_FAILURE } from '../core/causes.ts';
import type { Clock } from '../core/clock.ts';
import type { CpuScheduler } from '../core/cpu-scheduler.ts';
import { fault } from '../core/fault.ts';
import type { Ids } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { LegEvent } from '../core/leg.ts';
import type { Receipt } from '../core/receipt.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import type { HttpReply, HttpRequest, StepDefinition } from '../steps/step.ts';
import type { DialRequest, Engine } from '../telephony/engine.ts';
import { CallContext } from './call-context.ts';
import type { TransactionPorts } from './call-transaction.ts';
import { InputHandler } from './input-handler.ts';
import type { CallCommand, CallInput, CallRecord, CommandReply, CommandSource, Direction } from './journal.ts';
import type { LegRegistry, LegState } from './legs.ts';
import { Mailbox } from './mailbox.ts';
import type { TypedAhead } from './typed-ahead.ts';
import type { RecordingFiles, Venues } from './venue.ts';

export interface RuntimePorts extends TransactionPorts {
  clock: Clock;
  ids: Ids;
  engine: Pick<Engine, 'dial' | 'send'>;
  /** A flow by name, or compiled from an embedded document. */
  flow(flow: string | JsonObject): CompiledFlow | undefined;
  steps: ReadonlyMap<string, StepDefinition>;
  http(request: HttpRequest, projectId: string, signal: AbortSignal): Promise<HttpReply>;
  recordings: RecordingFiles;
  venues: Venues;
  /** Whether calls of the project may show this number to whom they call. */
  mayPresent(projectId: string, cli: string): boolean;
  /** Whether the sound of a call may be sent to this address. */
  mayStream(projectId: string, url: string): boolean;
  /** What puts a number on the project's list of those that broadcasts never call, or what is wrong with it in words. */
  doNotCall?(projectId: string, number: string): { add(): void } | { wrong: string };
  /** Told of everything that the run could not handle itself. */
  onCrash(callId: string, error: unknown): void;
  /**
   * Called between steps that do not wait; what it returns is awaited, so that a flow that computes for long does not
   * hold up other calls.
   */
  yieldTurn?(): Promise<void> | undefined;
  /** The processor time of expressions, by project; without: as much as there is. */
  cpuScheduler?: CpuScheduler;
  /** Replay only: see `TraversalOptions`. */
  recordedVars?(visit: number): JsonObject | undefined;
}

export interface CallSpec {
  callId: string;
  projectId: string;
  direction: Direction;
  from: string;
  to: string;
  legId: string;
  /** Outbound: how to reach the far end; the flow begins when it answers. */
  dial?: DialRequest;
  flow: CompiledFlow;
  input: JsonObject;
  seed: number;
  env: JsonObject;
  secrets: JsonObject;
  schedules: Readonly<Record<string, Json>>;
  eventUrl?: string;
  ownerRef?: string;
  /** The broadcast that makes this call. */
  broadcastId?: string;
  /** What is answered to the request that makes it, written with its first decision. */
  receipt?: ((record: CallRecord) => Receipt | undefined) | undefined;
  /**
   * Inbound: whether `incomingcall` is told at once (default); `later`: a flow that greets first tells it, or the end of
   * the call does.
   */
  announce?: boolean | 'later';
  /** Inbound: the caller was let in before there was a call of it (`calls/reception.ts`): its line is connected. */
  answered?: true;
  /** Whether REST may record and stream the call only while it is bridged (default). */
  strictBridgeState?: boolean;
}

/** A party that is handed over to another call, and what its line told that was not read yet. */
export interface LegTransfer {
  leg: string;
  to: string;
  unread: LegEvent[];
}

/** What a run asks of its supervisor. */
export interface Exchange extends LegRegistry {
  /** Asks the call that this leg is on for the party it is bridged with; the answer is the input `taken_over`. */
  takeOver(replacesLegId: string, visit: number): void;
}

/** A call on its own: nobody else's legs can be had. */
const ALONE: Exchange = { attach: () => undefined, detach: () => undefined, takeOver: () => undefined };

type MailboxItem =
  | { input: CallInput; reply?: (reply: CommandReply) => void }
  /** Another call asks for the party with which this leg is bridged. */
  | { wanted: string; answer(handover: LegTransfer | undefined): void };

export interface CallView {
  record: CallRecord;
  legState: LegState['state'];
  flow: string | undefined;
  step: string | undefined;
  verb: string | undefined;
}

export class CallRun {
  readonly done: Promise<void>;
  /** Resolves when its first decision is written, and so survives the process; false where that was not possible. */
  readonly written: Promise<boolean>;
  readonly #call: CallContext;
  readonly #inputs: InputHandler;
  readonly #ports: RuntimePorts;
  readonly #mailbox = new Mailbox<MailboxItem>();
  #finished!: () => void;
  #begun!: (isWritten: boolean) => void;

  constructor(spec: CallSpec, ports: RuntimePorts, exchange: Exchange = ALONE) {
    this.#ports = ports;
    this.#call = new CallContext(spec, ports, exchange, (input) => this.post(input));
    this.#inputs = new InputHandler(this.#call);
    this.done = new Promise((resolve) => {
      this.#finished = resolve;
    });
    this.written = new Promise((resolve) => {
      this.#begun = resolve;
    });
  }

  get record(): CallRecord {
    return this.#call.record;
  }

  get legId(): string {
    return this.#call.spec.legId;
  }

  /** Of its own line, and of those parties that have not ended. */
  get legIds(): string[] {
    return [this.legId, ...this.#call.legs.parties.map(({ legId }) => legId)];
  }

  /** How many entries its journal has, those of the decision in the making included. */
  get journalLength(): number {
    return this.#call.transaction.length;
  }

  /** What was pressed, and no step has read. */
  get typedAhead(): TypedAhead {
    return this.#call.typedAhead;
  }

  get isOver(): boolean {
    return this.#call.isOver;
  }

  /** A step is being run that takes what must not be seen. */
  get takesSensitive(): boolean {
    return this.#call.isSensitive(undefined);
  }

  /** Begins the run and carries it to its end; resolves as `done`. */
  start(): Promise<void> {
    this.post({ type: 'start' });
    void this.#live();
    return this.done;
  }

  post(input: CallInput): void {
    this.#mailbox.post({ input });
  }

  /** Asks something of the live call; answered after the decision is committed. */
  command(command: CallCommand, source?: CommandSource): Promise<CommandReply> {
    if (this.isOver) return Promise.resolve({ ok: false, refusal: 'ended' });
    const input: CallInput = { type: 'command', command, ...(source ? { source } : {}) };
    return new Promise((reply) => this.#mailbox.post({ input, reply }));
  }

  /** Asks for the party with which this leg is bridged; answered after it was let go here. */
  releasePeer(wanted: string, answer: (handover: LegTransfer | undefined) => void): void {
    if (this.isOver) answer(undefined);
    else this.#mailbox.post({ wanted, answer });
  }

  view(): CallView {
    const { flow, stepRun } = this.#call.executions.main;
    return {
      record: this.record,
      legState: this.#call.legs.main.state,
      flow: flow?.name,
      step: stepRun?.step.name,
      verb: stepRun?.step.verb,
    };
  }

  async #live(): Promise<void> {
    const call = this.#call;
    let letter: MailboxItem | undefined;
    try {
      while (!call.isOver) {
        letter = await this.#mailbox.take();
        call.clock.advance();
        call.stepsAtOnce = 0;
        await this.#read(letter);
        call.finishIfAlone();
        const written = call.transaction.commit(() => call.executions.checkpoint());
        if (written) await written;
        this.#begun(true);
      }
    } catch (error) {
      this.#begun(call.transaction.isCommitted);
      await this.#collapse(error);
      if (letter) this.#returnToSender(letter);
    }
    for (const left of this.#mailbox.close()) this.#returnToSender(left);
    call.release();
    this.#finished();
  }

  async #read(letter: MailboxItem): Promise<void> {
    if ('wanted' in letter) return this.#onWanted(letter);
    const { input, reply } = letter;
    if (input.type !== 'command') return this.#inputs.handle(input);
    const answer = await this.#inputs.command(input);
    if (reply) this.#call.onCommit(() => reply(answer));
  }

  async #onWanted({ wanted, answer }: Extract<MailboxItem, { wanted: string }>): Promise<void> {
    const { legs, closing, record } = this.#call;
    const leg = closing ? undefined : legs.peerOf(wanted);
    if (!leg) return this.#call.onCommit(() => answer(undefined));
    const far = record.direction === 'outbound' ? record.to : record.from;
    await this.#inputs.handle({ type: 'given_up', leg: leg.legId });
    this.#call.onCommit(() => answer({ leg: leg.legId, to: leg.to ?? far, unread: this.#unread(leg) }));
  }

  /** What the line told that was not read yet: another call's now. */
  #unread(line: LegState): LegEvent[] {
    const leg = line === this.#call.legs.main ? undefined : line.legId;
    const letters = this.#mailbox.extract(
      (letter) => 'input' in letter && letter.input.type === 'leg' && letter.input.leg === leg,
    );
    return letters.flatMap((letter) => ('input' in letter && letter.input.type === 'leg' ? [letter.input.event] : []));
  }

  /** The run is over: whoever waits for an answer has it. */
  #returnToSender(letter: MailboxItem): void {
    if ('wanted' in letter) {
      letter.answer(undefined);
      return;
    }
    letter.reply?.({ ok: false, refusal: 'ended' });
    const { input } = letter;
    if (input.type !== 'taken_over' || input.leg === undefined) return;
    this.#ports.engine.send(input.leg, { type: 'hangup', cause: NORMAL_CLEARING.code });
  }

  /** R4 */
  async #collapse(error: unknown): Promise<void> {
    const call = this.#call;
    call.isOver = true;
    const lost = call.transaction.rollback();
    this.#report(error);
    try {
      if (call.legs.main.state !== 'ended') {
        call.endRecord(TEMPORARY_FAILURE, !call.isAnswered && call.direction === 'outbound');
      } else if (lost.some(({ kind }) => kind === 'state')) {
        // The end of the leg was in the decision that is given up: it has to be told again.
        call.tellEnds(call.record.cause ?? TEMPORARY_FAILURE);
        call.setState(call.record.state, call.record.cause);
      }
    } catch (second) {
      this.#report(second);
    }
    call.legs.hangUpAll(TEMPORARY_FAILURE.code, (second) => this.#report(second));
    call.memberships.abandon((second) => this.#report(second));
    call.recordings.abandon();
    const message = error instanceof Error ? error.message : String(error);
    call.append({ kind: 'ended', reason: 'fault', fault: fault('internal', message) });
    try {
      await call.transaction.commit(() => call.executions.checkpoint());
    } catch (third) {
      this.#report(third);
    }
  }

  #report(error: unknown): void {
    try {
      this.#ports.onCrash(this.record.callId, error);
    } catch {
      // Whoever is told of crashes must not keep the call from its end.
    }
  }
}
