/**
 * What comes in, and whose it is: each input is noted where it changes something, brought to the line, the visit or the
 * part of the call that it is for, and dropped where nobody waits for it any more.
 *
 * Invariants
 *  I1 what is dropped is not noted: a replay gives only what was noted, and comes to the same;
 *  I2 an answer to something an earlier visit started is dropped in `#deliver`, and only there;
 *  I3 what is nobody's business is masked before it is noted.
 */
import { isNetworkFault, NORMAL_CLEARING } from '../core/causes.ts';
import type { LegEvent } from '../core/leg.ts';
import type { StepEvent } from '../steps/step.ts';
import type { CallContext } from './call-context.ts';
import type { CallInput, CommandReply } from './journal.ts';
import { MASK } from './journal.ts';
import type { LegState } from './legs.ts';
import { maskAnswer, maskCallerInput, maskSensitive } from './mask.ts';
import type { StepRun } from './step-run.ts';

/** What a flow may still do after its `max_duration` interrupt. */
const OVERTIME_MS = 60_000;

const NOTHING = Promise.resolve();

type InputOf<Type extends CallInput['type']> = Extract<CallInput, { type: Type }>;
type LegEventOf<Type extends LegEvent['type']> = Extract<LegEvent, { type: Type }>;

export class InputHandler {
  readonly #call: CallContext;
  #isOvertime = false;

  constructor(call: CallContext) {
    this.#call = call;
  }

  command(command: InputOf<'command'>): Promise<CommandReply> {
    return this.#call.commands.handle(command);
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
      case 'lost':
        this.#note(input);
        return this.#call.close({ reason: 'lost' });
    }
  }

  async #onStart(): Promise<void> {
    const call = this.#call;
    const { flow, input, seed, env, legId, answered, announce } = call.spec;
    const { callId, direction, from, to } = call.record;
    call.append({
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
      callId,
      leg: legId,
      ...(answered ? { answered } : {}),
      ...(announce === 'later' ? { announce } : {}),
    });
    call.deadlines.guard(flow.limits.maxDurationMs, { type: 'max_duration' });
    await call.begin();
  }

  async #onDeadline(input: InputOf<'deadline'>): Promise<void> {
    const { executions } = this.#call;
    const stepRun = executions.stepRuns.find(({ timer }) => timer === input.timer);
    if (!stepRun) return;
    this.#note(input);
    await executions.resume(stepRun, { type: 'timeout' });
  }

  async #onDiagnosis(input: InputOf<'diagnosis'>): Promise<void> {
    this.#note(input);
    this.#call.append({ kind: 'diagnostic', code: input.code, message: input.message });
  }

  async #onVenue(input: InputOf<'venue'>): Promise<void> {
    const { memberships, executions } = this.#call;
    const { ticket, name, data } = input;
    const stepRun = memberships.ownerOf(ticket);
    if (!stepRun || !executions.stepRuns.includes(stepRun)) return;
    this.#note(input);
    memberships.receive(ticket, name, data);
    await executions.resume(stepRun, { type: 'venue', ticket, name, data });
  }

  async #onMaxDuration(input: InputOf<'max_duration'>): Promise<void> {
    const call = this.#call;
    if (call.closing) return;
    this.#note(input);
    if (this.#isOvertime || !(await call.executions.interrupt('max_duration'))) return call.close({ reason: 'limit' });
    this.#isOvertime = true;
    call.deadlines.guard(OVERTIME_MS, input);
  }

  // The caller's own line

  #onLeg(input: InputOf<'leg'>): Promise<void> {
    const { legs } = this.#call;
    const leg = legs.find(input.leg);
    if (!leg || leg.state === 'ended') return NOTHING;
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
    this.#call.record.ringingMs = this.#call.nowMs;
    this.#note(input);
    this.#call.setState('ringing');
  }

  async #onAnswered(leg: LegState, input: InputOf<'leg'>): Promise<void> {
    const call = this.#call;
    if (leg.state !== 'ringing') return;
    leg.state = 'connected';
    call.record.answeredMs = call.nowMs;
    this.#note(input);
    call.setState('connected');
    call.commands.answered();
    const { dial, flow, input: given } = call.spec;
    if (dial && !call.closing) await call.executions.begin(flow, given);
    else await call.executions.broadcast(input.event);
  }

  async #onDigit(event: LegEventOf<'digit'>): Promise<void> {
    const { executions, typedAhead, bridges, closing, nowMs } = this.#call;
    if (closing) return;
    const stepRun = executions.stepRuns.find(({ wait }) => wait?.digits);
    const taken = stepRun?.wait?.digits;
    // Digits that are left to another step may turn out to be a PIN; those of a conversation are left to none.
    const isLeftOver = taken ? taken.forNext : !bridges.isBridged;
    const isHidden = isLeftOver ? executions.mayAskSensitive : this.#call.isSensitive(stepRun);
    const digit = isHidden ? MASK : event.digit;
    this.#note({ type: 'leg', event: { ...event, digit } });
    if (typedAhead.swallows(event.digit, nowMs)) return;
    if (!taken?.claims.includes(event.digit) && (await executions.interrupt(`dtmf.${event.digit}`, stepRun))) return;
    if (stepRun) await executions.resume(stepRun, event);
    else if (bridges.isBridged) this.#call.append({ kind: 'digit', digit });
    else typedAhead.add(event.digit);
  }

  async #onEnded(event: LegEventOf<'ended'>): Promise<void> {
    const call = this.#call;
    const { main } = call.legs;
    this.#note({ type: 'leg', event });
    const isUnreached = call.direction === 'outbound' && !call.isAnswered;
    const hasFailed = isUnreached && !main.isEnding && (event.by === 'network' || isNetworkFault(event.cause));
    if (event.quality) call.record.quality = event.quality;
    call.legs.end(main);
    call.media.abandon('the line ended');
    call.recordings.abandon();
    await call.loseCaller(event.cause, hasFailed);
    if (isUnreached) call.closing ??= { reason: 'hangup' };
  }

  /** What the line tells besides keys, answers and its end. */
  async #onHeard(event: LegEvent, input: InputOf<'leg'>): Promise<void> {
    const { media, recordings, executions } = this.#call;
    if (media.owns(event)) {
      // What is said is the application's; the book does without.
      this.#note({ type: 'leg', event: maskCallerInput(event) });
      for (const told of media.receive(event)) await executions.broadcast(told);
    } else if (event.type === 'record_ended' && recordings.isOpen(event.recordId)) {
      const { recordId, durationMs, reason } = event;
      recordings.close(recordId, { durationMs, failed: reason === 'failed' });
      const stepRun = executions.stepRuns.find((each) => each.accepts(event));
      this.#note(input);
      if (stepRun) await executions.resume(stepRun, event);
    } else await this.#deliver(event, input);
  }

  /** I2: hands an answer to the visit that asked; what nobody asked for goes to all that wait. */
  async #deliver(event: StepEvent, input: CallInput): Promise<void> {
    const { executions, legs } = this.#call;
    const stepRuns = executions.stepRuns.filter((each) => each.accepts(event));
    const [stepRun] = stepRuns;
    if (event.type === 'referred') return this.#onReferred(legs.main, event, input, stepRun, event);
    if (!stepRun) return;
    this.#note(stepRun.step.sensitive ? maskAnswer(input) : input);
    for (const each of stepRuns) await executions.resume(each, event);
  }

  /** A far end asks to be connected elsewhere: one visit answers that, or we decline. */
  async #onReferred(
    leg: LegState,
    { referId }: LegEventOf<'referred'>,
    input: CallInput,
    stepRun: StepRun | undefined,
    told: StepEvent,
  ): Promise<void> {
    this.#note(input);
    if (!stepRun) return this.#call.legs.decline(leg, referId);
    stepRun.referrals.set(referId, leg);
    await this.#call.executions.resume(stepRun, told);
  }

  // Parties

  async #onParty(leg: LegState, input: InputOf<'leg'>): Promise<void> {
    const { executions } = this.#call;
    const { event } = input;
    const told: StepEvent = { type: 'party', party: leg.legId, event };
    const stepRun = executions.stepRuns.find((each) => each === leg.owner);
    if (event.type === 'ended') return this.#onPartyEnded(leg, event, stepRun, told);
    if (event.type === 'referred') return this.#onReferred(leg, event, input, stepRun, told);
    const isProgress = event.type === 'ringing' || event.type === 'answered';
    if (isProgress ? !advances(leg, event.type) : !stepRun?.accepts(told)) return;
    this.#note(stepRun?.step.sensitive ? maskAnswer(input) : input);
    if (stepRun) await executions.resume(stepRun, told);
  }

  async #onPartyEnded(
    leg: LegState,
    event: LegEventOf<'ended'>,
    stepRun: StepRun | undefined,
    told: StepEvent,
  ): Promise<void> {
    const { legs, parties, bridges, executions } = this.#call;
    const wasPartner = parties.heldPeer === leg;
    this.#note({ type: 'leg', event, leg: leg.legId });
    legs.end(leg);
    parties.forget(leg);
    if (wasPartner) bridges.close(event.cause);
    if (stepRun) await executions.resume(stepRun, told);
  }

  async #onTakenOver(input: InputOf<'taken_over'>): Promise<void> {
    const { legs, executions } = this.#call;
    this.#note(input);
    const stepRun = executions.stepRuns.find(({ number }) => number === input.visit);
    const leg = input.leg === undefined ? undefined : legs.adopt(input.leg, input.to ?? '');
    if (stepRun) {
      if (leg) leg.owner = stepRun;
      await executions.resume(stepRun, { type: 'taken_over', party: leg?.legId ?? null });
    } else if (leg) legs.hangUp(leg);
  }

  async #onGivenUp(input: InputOf<'given_up'>): Promise<void> {
    const { legs, parties, media, executions } = this.#call;
    const leg = legs.find(input.leg) ?? legs.main;
    if (leg.state === 'ended') return;
    this.#note(input);
    const isMain = leg === legs.main;
    if (isMain) media.abandon();
    const stepRun = executions.stepRuns.find((each) => each === leg.owner);
    legs.end(leg);
    parties.forget(leg);
    // The call goes on without the one it was for: as if that one had hung up.
    if (isMain) await this.#call.loseCaller(NORMAL_CLEARING, false);
    else if (stepRun) await executions.resume(stepRun, { type: 'given_up', party: leg.legId });
  }

  #note(input: CallInput): void {
    this.#call.append({ kind: 'in', input });
  }
}

/** Whether this is news of the line; one that was told to end crossed it on the way. */
function advances(leg: LegState, type: 'ringing' | 'answered'): boolean {
  if (leg.isEnding || leg.state !== 'ringing' || (type === 'ringing' && leg.hasRung)) return false;
  if (type === 'ringing') leg.hasRung = true;
  else leg.state = 'connected';
  return true;
}
