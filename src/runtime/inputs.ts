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
import type { Call } from './call.ts';
import type { CommandReply, RunInput } from './journal.ts';
import { MASK } from './journal.ts';
import type { Line } from './lines.ts';
import { hideAnswer, hideHeard, hideSensitive } from './mask.ts';
import type { Visit } from './visit.ts';

/** What a flow may still do after its `max_duration` interrupt. */
const FAREWELL_MS = 60_000;

const NOTHING = Promise.resolve();

type InputOf<Type extends RunInput['type']> = Extract<RunInput, { type: Type }>;
type LegEventOf<Type extends LegEvent['type']> = Extract<LegEvent, { type: Type }>;

export class Inputs {
  readonly #call: Call;
  #isOvertime = false;

  constructor(call: Call) {
    this.#call = call;
  }

  ask(command: InputOf<'command'>): Promise<CommandReply> {
    return this.#call.desk.take(command);
  }

  take(input: Exclude<RunInput, { type: 'command' }>): Promise<void> {
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
    call.note({
      kind: 'started',
      direction,
      from,
      to,
      flow: flow.name,
      flowHash: flow.hash,
      input: hideSensitive(input, flow.input),
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
    const { ways } = this.#call;
    const visit = ways.visits.find(({ timer }) => timer === input.timer);
    if (!visit) return;
    this.#note(input);
    await ways.resume(visit, { type: 'timeout' });
  }

  async #onDiagnosis(input: InputOf<'diagnosis'>): Promise<void> {
    this.#note(input);
    this.#call.note({ kind: 'diagnostic', code: input.code, message: input.message });
  }

  async #onVenue(input: InputOf<'venue'>): Promise<void> {
    const { places, ways } = this.#call;
    const { ticket, name, data } = input;
    const visit = places.visitOf(ticket);
    if (!visit || !ways.visits.includes(visit)) return;
    this.#note(input);
    places.told(ticket, name, data);
    await ways.resume(visit, { type: 'venue', ticket, name, data });
  }

  async #onMaxDuration(input: InputOf<'max_duration'>): Promise<void> {
    const call = this.#call;
    if (call.closing) return;
    this.#note(input);
    if (this.#isOvertime || !(await call.ways.interrupt('max_duration'))) return call.close({ reason: 'limit' });
    this.#isOvertime = true;
    call.deadlines.guard(FAREWELL_MS, input);
  }

  // The caller's own line

  #onLeg(input: InputOf<'leg'>): Promise<void> {
    const { lines } = this.#call;
    const line = lines.find(input.leg);
    if (!line || line.state === 'ended') return NOTHING;
    if (line !== lines.main) return this.#onParty(line, input);
    const { event } = input;
    switch (event.type) {
      case 'ringing':
        return this.#onRinging(line, input);
      case 'answered':
        return this.#onAnswered(line, input);
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

  async #onRinging(line: Line, input: InputOf<'leg'>): Promise<void> {
    if (line.rang || line.state !== 'ringing') return;
    line.rang = true;
    this.#call.record.ringingMs = this.#call.nowMs;
    this.#note(input);
    this.#call.setState('ringing');
  }

  async #onAnswered(line: Line, input: InputOf<'leg'>): Promise<void> {
    const call = this.#call;
    if (line.state !== 'ringing') return;
    line.state = 'connected';
    call.record.answeredMs = call.nowMs;
    this.#note(input);
    call.setState('connected');
    call.desk.answered();
    const { dial, flow, input: given } = call.spec;
    if (dial && !call.closing) await call.ways.begin(flow, given);
    else await call.ways.tellAll(input.event);
  }

  async #onDigit(event: LegEventOf<'digit'>): Promise<void> {
    const { ways, typedAhead, bridges, closing, nowMs } = this.#call;
    if (closing) return;
    const visit = ways.visits.find(({ wait }) => wait?.digits);
    const taken = visit?.wait?.digits;
    // Digits that are left to another step may turn out to be a PIN; those of a conversation are left to none.
    const isLeftOver = taken ? taken.forNext : !bridges.isBridged;
    const isHidden = isLeftOver ? ways.mayAskSensitive : this.#call.isSensitive(visit);
    const digit = isHidden ? MASK : event.digit;
    this.#note({ type: 'leg', event: { ...event, digit } });
    if (typedAhead.swallows(event.digit, nowMs)) return;
    if (!taken?.claims.includes(event.digit) && (await ways.interrupt(`dtmf.${event.digit}`, visit))) return;
    if (visit) await ways.resume(visit, event);
    else if (bridges.isBridged) this.#call.note({ kind: 'digit', digit });
    else typedAhead.add(event.digit);
  }

  async #onEnded(event: LegEventOf<'ended'>): Promise<void> {
    const call = this.#call;
    const { main } = call.lines;
    this.#note({ type: 'leg', event });
    const isUnreached = call.direction === 'outbound' && !call.isAnswered;
    const hasFailed = isUnreached && !main.leaving && (event.by === 'network' || isNetworkFault(event.cause));
    if (event.quality) call.record.quality = event.quality;
    call.lines.end(main);
    call.background.abandon('the line ended');
    call.recordings.abandon();
    await call.loseCaller(event.cause, hasFailed);
    if (isUnreached) call.closing ??= { reason: 'hangup' };
  }

  /** What the line tells besides keys, answers and its end. */
  async #onHeard(event: LegEvent, input: InputOf<'leg'>): Promise<void> {
    const { background, recordings, ways } = this.#call;
    if (background.owns(event)) {
      // What is said is the application's; the book does without.
      this.#note({ type: 'leg', event: hideHeard(event) });
      for (const told of background.take(event)) await ways.tellAll(told);
    } else if (event.type === 'record_ended' && recordings.isOpen(event.recordId)) {
      const { recordId, durationMs, reason } = event;
      recordings.close(recordId, { durationMs, failed: reason === 'failed' });
      const visit = ways.visits.find((each) => each.owns(event));
      this.#note(input);
      if (visit) await ways.resume(visit, event);
    } else await this.#deliver(event, input);
  }

  /** I2: hands an answer to the visit that asked; what nobody asked for goes to all that wait. */
  async #deliver(event: StepEvent, input: RunInput): Promise<void> {
    const { ways, lines } = this.#call;
    const visits = ways.visits.filter((each) => each.owns(event));
    const [visit] = visits;
    if (event.type === 'referred') return this.#onReferred(lines.main, event, input, visit, event);
    if (!visit) return;
    this.#note(visit.step.sensitive ? hideAnswer(input) : input);
    for (const each of visits) await ways.resume(each, event);
  }

  /** A far end asks to be connected elsewhere: one visit answers that, or we decline. */
  async #onReferred(
    line: Line,
    { referId }: LegEventOf<'referred'>,
    input: RunInput,
    visit: Visit | undefined,
    told: StepEvent,
  ): Promise<void> {
    this.#note(input);
    if (!visit) return this.#call.lines.decline(line, referId);
    visit.referrals.set(referId, line);
    await this.#call.ways.resume(visit, told);
  }

  // Parties

  async #onParty(line: Line, input: InputOf<'leg'>): Promise<void> {
    const { ways } = this.#call;
    const { event } = input;
    const told: StepEvent = { type: 'party', party: line.legId, event };
    const visit = ways.visits.find((each) => each === line.owner);
    if (event.type === 'ended') return this.#onPartyEnded(line, event, visit, told);
    if (event.type === 'referred') return this.#onReferred(line, event, input, visit, told);
    const isProgress = event.type === 'ringing' || event.type === 'answered';
    if (isProgress ? !advances(line, event.type) : !visit?.owns(told)) return;
    this.#note(visit?.step.sensitive ? hideAnswer(input) : input);
    if (visit) await ways.resume(visit, told);
  }

  async #onPartyEnded(
    line: Line,
    event: LegEventOf<'ended'>,
    visit: Visit | undefined,
    told: StepEvent,
  ): Promise<void> {
    const { lines, parties, bridges, ways } = this.#call;
    const wasPartner = parties.partner === line;
    this.#note({ type: 'leg', event, leg: line.legId });
    lines.end(line);
    parties.forget(line);
    if (wasPartner) bridges.close(event.cause);
    if (visit) await ways.resume(visit, told);
  }

  async #onTakenOver(input: InputOf<'taken_over'>): Promise<void> {
    const { lines, ways } = this.#call;
    this.#note(input);
    const visit = ways.visits.find(({ number }) => number === input.visit);
    const line = input.leg === undefined ? undefined : lines.adopt(input.leg, input.to ?? '');
    if (visit) {
      if (line) line.owner = visit;
      await ways.resume(visit, { type: 'taken_over', party: line?.legId ?? null });
    } else if (line) lines.hangUp(line);
  }

  async #onGivenUp(input: InputOf<'given_up'>): Promise<void> {
    const { lines, parties, background, ways } = this.#call;
    const line = lines.find(input.leg) ?? lines.main;
    if (line.state === 'ended') return;
    this.#note(input);
    const isMain = line === lines.main;
    if (isMain) background.abandon();
    const visit = ways.visits.find((each) => each === line.owner);
    lines.end(line);
    parties.forget(line);
    // The call goes on without the one it was for: as if that one had hung up.
    if (isMain) await this.#call.loseCaller(NORMAL_CLEARING, false);
    else if (visit) await ways.resume(visit, { type: 'given_up', party: line.legId });
  }

  #note(input: RunInput): void {
    this.#call.note({ kind: 'in', input });
  }
}

/** Whether this is news of the line; one that was told to end crossed it on the way. */
function advances(line: Line, type: 'ringing' | 'answered'): boolean {
  if (line.leaving || line.state !== 'ringing' || (type === 'ringing' && line.rang)) return false;
  if (type === 'ringing') line.rang = true;
  else line.state = 'connected';
  return true;
}
