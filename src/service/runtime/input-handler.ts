/**
 * Handles each input: journals it if it changes something, passes it to the leg, step run or part of the call
 * concerned, and drops it if it is no longer expected.
 *
 * Invariants
 *  - A dropped input is not journalled: a replay feeds only journalled inputs, and gives the same result.
 *  I2 An answer to a request of an earlier step run is dropped in `#deliver`, and only there.
 *  - Sensitive input is masked before it is journalled.
 */
import { isNetworkFault, NORMAL_CLEARING, NOT_SELECTED } from '../../base/core/causes.ts';
import { hangupBy } from '../../base/core/hangup.ts';
import { defined, type JsonObject } from '../../base/core/json.ts';
import type { LegEvent } from '../../base/core/leg.ts';
import type { StepEvent } from '../../language/steps/step.ts';
import type { CallContext } from './call-context.ts';
import type { CommandHandler } from './command-handler.ts';
import type { FlowExecutions } from './flow-executions.ts';
import { type CallInput, MASK, type NewEntry } from './journal.ts';
import type { LegState } from './legs.ts';
import { maskAnswer, maskCallerInput, maskSensitive } from './mask.ts';
import type { StepRun } from './step-run.ts';

/** Time left to a flow after its `max_duration` interrupt. */
const OVERTIME_MS = 60_000;

const NOTHING = Promise.resolve();

type InputOf<Type extends CallInput['type']> = Extract<CallInput, { type: Type }>;
type LegEventOf<Type extends LegEvent['type']> = Extract<LegEvent, { type: Type }>;

export class InputHandler {
  readonly #call: CallContext;
  readonly #executions: FlowExecutions;
  readonly #commands: CommandHandler;
  #isOvertime = false;

  constructor(call: CallContext, executions: FlowExecutions, commands: CommandHandler) {
    this.#call = call;
    this.#executions = executions;
    this.#commands = commands;
  }

  handle(input: Exclude<CallInput, { type: 'command' }>): Promise<void> {
    switch (input.type) {
      case 'start':
        return this.#onStart();
      case 'leg':
        return this.#onLeg(input);
      case 'deadline':
        return this.#onDeadline(input);
      case 'http':
        return this.#deliver({ type: 'http', requestId: input.requestId, reply: input.reply }, input);
      case 'diagnosis':
        return this.#onDiagnosis(input);
      case 'venue':
        return this.#onVenue(input);
      case 'taken_over':
        return this.#onTakenOver(input);
      case 'given_up':
        return this.#onGivenUp(input);
      case 'max_duration':
        return this.#onMaxDuration(input);
      case 'adopted':
        this.#journal(input);
        return NOTHING;
      case 'lost':
        this.#journal(input);
        return this.#executions.close({ reason: 'lost' });
    }
  }

  async #onStart(): Promise<void> {
    const call = this.#call;
    const { flow, input, seed, env, timezone, legId, answered, announce, receipt, dial, sip, headers } = call.spec;
    const { callId, direction, from, to } = call.record;
    const said = headers ?? dial?.headers;
    const entry: NewEntry = {
      kind: 'started',
      direction,
      from,
      to,
      flow: flow.name,
      flowHash: flow.hash,
      input: maskSensitive(input, flow.input),
      seed,
      locale: flow.locale,
      env,
      timezone,
      callId,
      leg: legId,
      answered,
      announce: announce === 'later' ? announce : undefined,
      sip,
      headers: said,
    };
    call.append(entry, defined<JsonObject>({ input, env, headers: said && { ...said } }));
    call.deadlines.guard(flow.limits.maxDurationMs, { type: 'max_duration' });
    call.transaction.setReceipt(receipt?.(call.record));
    if (dial) return call.transaction.onCommit(() => call.ports.engine.dial(dial));
    if (announce !== false && announce !== 'later') call.setState('incomingcall');
    if (answered) call.setConnected();
    await this.#executions.start({ flow, input });
  }

  async #onDeadline(input: InputOf<'deadline'>): Promise<void> {
    const stepRun = this.#executions.stepRuns.find(({ deadline }) => deadline?.number === input.timer);
    if (!stepRun) return;
    this.#journal(input);
    await this.#executions.resume(stepRun, { type: 'timeout' });
  }

  async #onDiagnosis(input: InputOf<'diagnosis'>): Promise<void> {
    this.#journal(input);
    this.#call.append({ kind: 'diagnostic', code: input.code, message: input.message });
  }

  async #onVenue(input: InputOf<'venue'>): Promise<void> {
    const { memberships } = this.#call;
    const { ticket: memberId, name, data } = input;
    const stepRun = this.#stepRun(memberships.ownerOf(memberId));
    if (!stepRun) return;
    this.#journal(input);
    memberships.receive(memberId, name, data);
    await this.#executions.resume(stepRun, { type: 'venue', memberId, name, data });
  }

  async #onMaxDuration(input: InputOf<'max_duration'>): Promise<void> {
    const call = this.#call;
    if (call.closing) return;
    this.#journal(input);
    if (this.#isOvertime || !(await this.#executions.interrupt('max_duration'))) {
      return this.#executions.close({ reason: 'limit' });
    }
    this.#isOvertime = true;
    call.deadlines.guard(OVERTIME_MS, input);
  }

  /** Written before the party is dialled: a node that resumes the call knows if the party may have been rung. */
  async #onCreated(leg: LegState, input: InputOf<'leg'>): Promise<void> {
    if (leg.isDialled || leg.isEnding || leg.state !== 'ringing') return;
    leg.isDialled = true;
    this.#journal(input);
    this.#call.legs.send(leg, { type: 'dial' }, leg.owner ?? 0);
  }

  // The main leg

  #onLeg(input: InputOf<'leg'>): Promise<void> {
    const { legs } = this.#call;
    const leg = legs.find(input.leg);
    if (!leg || leg.state === 'ended') return NOTHING;
    if (input.event.type === 'created') return this.#onCreated(leg, input);
    if (leg !== legs.main) return this.#onParty(leg, input);
    const { event } = input;
    switch (event.type) {
      case 'ringing':
        return this.#onRinging(leg, input);
      case 'answered':
        return this.#onAnswered(leg, input);
      case 'digit':
        return this.#onDigit(event);
      case 'ended':
        return this.#onEnded(event);
      case 'machine_detected':
        if (event.result !== 'stopped') {
          this.#call.record.answeredBy = event.result === 'beep' ? 'machine' : event.result;
        }
        return this.#onHeard(event, input);
      default:
        return this.#onHeard(event, input);
    }
  }

  async #onRinging(leg: LegState, input: InputOf<'leg'>): Promise<void> {
    if (leg.hasRung || leg.state !== 'ringing') return;
    leg.hasRung = true;
    this.#call.record.ringingMs = this.#call.clock.nowMs;
    this.#journal(input);
    this.#call.setState('ringing');
  }

  async #onAnswered(leg: LegState, input: InputOf<'leg'>): Promise<void> {
    const call = this.#call;
    if (leg.state !== 'ringing') return;
    leg.state = 'connected';
    call.record.answeredMs = call.clock.nowMs;
    const { headers } = input.event as LegEventOf<'answered'>;
    if (headers) call.setHeaders(headers);
    this.#journal(input);
    call.setState('connected');
    this.#commands.onAnswered();
    const { dial, flow, input: given } = call.spec;
    if (dial && !call.closing) await this.#executions.start({ flow, input: given });
    else await this.#executions.broadcast(input.event);
  }

  async #onDigit(event: LegEventOf<'digit'>): Promise<void> {
    const { typedAhead, bridges, closing, clock } = this.#call;
    if (closing) return;
    const stepRun = this.#executions.stepRuns.find(({ wait }) => wait?.digits);
    const taken = stepRun?.wait?.digits;
    // Digits left to another step may turn out to be a PIN; digits pressed in a conversation are read by no step.
    const isLeftOver = taken ? taken.forNext : !bridges.isBridged;
    const isHidden = isLeftOver
      ? this.#executions.mayCollectSensitive
      : (stepRun?.hidesKeys ?? this.#executions.isSensitive);
    const digit = isHidden ? MASK : event.digit;
    this.#journal({ type: 'leg', event: { ...event, digit } });
    if (typedAhead.swallows(event.digit, clock.nowMs)) return;
    if (!taken?.claims.includes(event.digit) && (await this.#executions.interrupt(`dtmf.${event.digit}`, stepRun)))
      return;
    if (stepRun) await this.#executions.resume(stepRun, event);
    else if (bridges.isBridged) this.#call.append({ kind: 'digit', digit });
    else typedAhead.add(event.digit);
  }

  async #onEnded(event: LegEventOf<'ended'>): Promise<void> {
    const call = this.#call;
    const { main } = call.legs;
    this.#journal({ type: 'leg', event });
    const isUnreached = call.record.direction === 'outbound' && !call.isAnswered;
    const hasFailed = isUnreached && !main.isEnding && (event.by === 'network' || isNetworkFault(event.cause));
    const { record } = call;
    if (event.quality) record.quality = event.quality;
    if (event.sip) record.sip = event.sip;
    record.hangupBy = hangupBy(event.by, record.direction === 'inbound' ? 'caller' : 'callee');
    if (!call.isAnswered && event.cause.code === NOT_SELECTED.code) main.isTakenElsewhere = true;
    call.legs.end(main);
    call.media.abandon('the line ended');
    call.recordings.abandon();
    await this.#executions.onCallerGone(event.cause, hasFailed);
    if (isUnreached) call.closing ??= { reason: 'hangup' };
  }

  /** Events of the main leg other than keys, answers and its end. */
  async #onHeard(event: LegEvent, input: InputOf<'leg'>): Promise<void> {
    const { media, recordings } = this.#call;
    if (event.type === 'assistant_said') return this.#onSaid(event);
    if (media.owns(event)) {
      // Speech is meant for the application only: the journal contains no text of it.
      this.#journal({ type: 'leg', event: maskCallerInput(event) });
      const forSteps = media.receive(event, this.#executions.isSensitive);
      for (const each of forSteps) await this.#executions.broadcast(each);
    } else if (event.type === 'record_ended' && recordings.isOpen(event.recordId)) {
      const { recordId, durationMs, reason } = event;
      recordings.close(recordId, { durationMs, failed: reason === 'failed' });
      const stepRun = this.#executions.stepRuns.find((each) => each.accepts(event));
      this.#journal(input);
      if (stepRun) await this.#executions.resume(stepRun, event);
    } else await this.#deliver(event, input);
  }

  /**
   * Utterances of an agent and its caller are meant for the application, like a transcript: the journal contains no
   * text of them.
   */
  async #onSaid(event: LegEventOf<'assistant_said'>): Promise<void> {
    const stepRun = this.#executions.stepRuns.find((each) => each.accepts(event));
    if (!stepRun) return;
    const { who, text, atMs } = event;
    this.#journal({ type: 'leg', event: maskCallerInput(event) });
    const shown = this.#executions.isSensitive ? MASK : text;
    const track = who === 'agent' ? 'outbound' : 'inbound';
    this.#call.append({ kind: 'transcript', track, text: shown, confidence: 1, fromMs: atMs, toMs: atMs });
    // Steps only count utterances, so that a replay, which has masks instead, gives the same result.
    await this.#executions.resume(stepRun, { ...event, text: '' });
  }

  /** I2: passes an answer to the step run that expects it; other events go to all step runs. */
  async #deliver(event: StepEvent, input: CallInput): Promise<void> {
    const { legs } = this.#call;
    const stepRuns = this.#executions.stepRuns.filter((each) => each.accepts(event));
    const [stepRun] = stepRuns;
    if (event.type === 'referred') return this.#onReferred(legs.main, event, input, stepRun, event);
    if (!stepRun) return;
    this.#journal(stepRun.step.sensitive ? maskAnswer(input) : input);
    for (const each of stepRuns) await this.#executions.resume(each, event);
  }

  /** A far end sent a REFER: one step run answers it, or it is declined. */
  async #onReferred(
    leg: LegState,
    { referId }: LegEventOf<'referred'>,
    input: CallInput,
    stepRun: StepRun | undefined,
    forStep: StepEvent,
  ): Promise<void> {
    this.#journal(input);
    if (!stepRun) return this.#call.legs.decline(leg, referId);
    stepRun.referrals.set(referId, leg.legId);
    await this.#executions.resume(stepRun, forStep);
  }

  // Parties

  async #onParty(leg: LegState, input: InputOf<'leg'>): Promise<void> {
    const { event } = input;
    const forStep: StepEvent = { type: 'party', party: leg.legId, event };
    const stepRun = this.#stepRun(leg.owner);
    if (event.type === 'ended') return this.#onPartyEnded(leg, event, stepRun, forStep);
    if (event.type === 'referred') return this.#onReferred(leg, event, input, stepRun, forStep);
    const isProgress = event.type === 'ringing' || event.type === 'answered';
    if (isProgress ? !advances(leg, event.type) : !stepRun?.accepts(forStep)) return;
    this.#journal(stepRun?.step.sensitive ? maskAnswer(input) : input);
    if (stepRun) await this.#executions.resume(stepRun, forStep);
  }

  async #onPartyEnded(
    leg: LegState,
    event: LegEventOf<'ended'>,
    stepRun: StepRun | undefined,
    forStep: StepEvent,
  ): Promise<void> {
    const { legs, bridges } = this.#call;
    const wasHeldPeer = legs.heldPeer === leg;
    this.#journal({ type: 'leg', event, leg: leg.legId });
    legs.end(leg);
    bridges.partyEnded(leg.to, event);
    if (wasHeldPeer) bridges.close(event.cause);
    if (stepRun) await this.#executions.resume(stepRun, forStep);
  }

  async #onTakenOver(input: InputOf<'taken_over'>): Promise<void> {
    const { legs } = this.#call;
    this.#journal(input);
    const stepRun = this.#stepRun(input.visit);
    const leg = input.leg === undefined ? undefined : legs.adopt(input.leg, input.to ?? '');
    if (stepRun) {
      if (leg) leg.owner = stepRun.number;
      await this.#executions.resume(stepRun, { type: 'taken_over', party: leg?.legId ?? null });
    } else if (leg) legs.hangUp(leg);
  }

  async #onGivenUp(input: InputOf<'given_up'>): Promise<void> {
    const { legs, media } = this.#call;
    const leg = legs.find(input.leg) ?? legs.main;
    if (leg.state === 'ended') return;
    this.#journal(input);
    const isMain = leg === legs.main;
    if (isMain) media.abandon();
    const stepRun = this.#stepRun(leg.owner);
    legs.end(leg);
    // The call continues without its main leg, as after a hang-up.
    if (isMain) await this.#executions.onCallerGone(NORMAL_CLEARING, false);
    else if (stepRun) await this.#executions.resume(stepRun, { type: 'given_up', party: leg.legId });
  }

  /** The active step run of this number. */
  #stepRun(number: number | undefined): StepRun | undefined {
    return this.#executions.stepRuns.find((stepRun) => stepRun.number === number);
  }

  #journal(input: CallInput): void {
    this.#call.append({ kind: 'in', input });
  }
}

/** True if the event changes the leg. After a hang-up command, an event may have crossed it in transit. */
function advances(leg: LegState, type: 'ringing' | 'answered'): boolean {
  if (leg.isEnding || leg.state !== 'ringing' || (type === 'ringing' && leg.hasRung)) return false;
  if (type === 'ringing') leg.hasRung = true;
  else leg.state = 'connected';
  return true;
}
