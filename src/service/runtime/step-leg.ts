/** A leg as seen by a step: requests on it belong to the step run. */
import { FaultError, fault } from '../../base/core/fault.ts';
import type { AudioItem, LegCommand } from '../../base/core/leg.ts';
import { REQUESTS, requestKeyOf } from '../../base/core/leg-answers.ts';
import type { StepCommand, StepLeg, StepParty, StepRequest } from '../../language/steps/step.ts';
import type { CallContext } from './call-context.ts';
import { type Direction, MASK } from './journal.ts';
import type { LegState } from './legs.ts';
import { shownAssistant, withoutAnswers } from './mask.ts';
import type { StepRun } from './step-run.ts';

type PlayCommand = Extract<LegCommand, { type: 'play' }>;

/** SIP: first final status (RFC 3261 §7.2). */
const FIRST_FINAL_STATUS = 200;

export class StepRunLeg implements StepLeg, StepParty {
  readonly #leg: LegState;
  readonly #stepRun: StepRun;
  readonly #call: CallContext;

  constructor(leg: LegState, stepRun: StepRun, call: CallContext) {
    this.#leg = leg;
    this.#stepRun = stepRun;
    this.#call = call;
  }

  get id(): string {
    return this.#leg.legId;
  }

  get to(): string {
    return this.#leg.to ?? '';
  }

  get state(): LegState['state'] {
    return this.#leg.state;
  }

  get direction(): Direction {
    return this.#call.record.direction;
  }

  send(command: StepCommand): void {
    const leg = this.#leg;
    const stepRun = this.#stepRun;
    if (command.type === 'join') stepRun.joined.add(this.id);
    else if (command.type === 'leave' && !stepRun.joined.delete(this.id)) return;
    else if (command.type === 'withhold') {
      if (stepRun.isWithholding === command.on) return;
      stepRun.isWithholding = command.on;
    } else if (command.type === 'resume' && !leg.isHeld) return;
    else if (command.type === 'refer_progress' && command.sipStatus >= FIRST_FINAL_STATUS) {
      stepRun.referrals.delete(command.referId);
    }
    this.#send(command, stepRun.step.sensitive ? withoutAnswers(command) : command);
  }

  request(request: StepRequest): string {
    const call = this.#call;
    const stepRun = this.#stepRun;
    const { type, ...options } = request;
    this.#refuseTarget(request);
    const { id: field, stop } = REQUESTS[type];
    const id = call.transaction.nextId(type === 'record' ? 'recording' : field.slice(0, -'Id'.length));
    const file = type === 'record' ? { file: this.#fileOf(id) } : {};
    // A request repeated in a replay contains its recorded id, which the new one replaces.
    const command = { type, [field]: id, ...file, ...options, [field]: id } as LegCommand;
    stepRun.expect(requestKeyOf(command)!, {
      legId: this.id,
      stop: stop && ({ type: stop, [field]: id } as LegCommand),
    });
    if (command.type === 'listen') stepRun.hasListened = true;
    if (command.type === 'play') for (const item of command.audio) call.recordVoice(item);
    if (command.type === 'play' && stepRun.saysResult) {
      const play: PlayCommand = { ...command, audio: command.audio.map(inPrivate) };
      this.#send(play, withoutWords(play));
    } else if (command.type === 'send_digits' && stepRun.step.sensitive) {
      this.#send(command, { ...command, digits: MASK });
    } else this.#send(command, command.type === 'assistant' ? shownAssistant(command) : command);
    return id;
  }

  play(audio: AudioItem[], options?: { repeat?: boolean }): string {
    return this.request({ type: 'play', audio, ...(options?.repeat ? { repeat: true } : {}) });
  }

  stopPlay(playId: string): void {
    if (this.#stepRun.settle(`play ${playId}`)) this.#send({ type: 'stop_play', playId });
  }

  takeTypedAhead(): string {
    return this.#call.typedAhead.take();
  }

  putBack(digits: string): void {
    this.#call.typedAhead.putBack(digits);
  }

  ignoreNext(digit: string, withinMs: number): void {
    this.#call.typedAhead.ignoreNext(digit, this.#call.clock.nowMs + withinMs);
  }

  /** `shown`: form of the command for the journal. */
  #send(command: LegCommand, shown = command): void {
    const leg = this.#leg;
    const { number } = this.#stepRun;
    // The step run may use the main leg and its own parties.
    if (leg.to === undefined || leg.owner === number) this.#call.legs.send(leg, command, number, shown);
  }

  /** Configured agents may be anywhere; those of flows only at addresses allowed for streams. */
  #refuseTarget(request: StepRequest): void {
    if (request.type !== 'assistant' || typeof request.agent === 'string') return;
    if (!this.#call.media.mayStream(request.agent.url))
      throw new FaultError(fault('target_refused', 'this address may not be used'));
  }

  #fileOf(recordingId: string): string {
    const opened = this.#call.recordings.open(recordingId);
    if ('fault' in opened) throw new FaultError(opened.fault);
    return opened.file;
  }
}

/** Audio with sensitive text is not cached. */
function inPrivate(item: AudioItem): AudioItem {
  if (item.type === 'remote' && item.otherwise) return { ...item, otherwise: inPrivate(item.otherwise) };
  return item.type === 'speech' || item.type === 'ssml' ? { ...item, private: true } : item;
}

const withoutWords = (command: PlayCommand): PlayCommand => ({ ...command, audio: command.audio.map(maskedWords) });

/** Masks spoken text, and the choice of audio files. */
function maskedWords(item: AudioItem): AudioItem {
  if (item.type === 'speech') return { ...item, text: MASK };
  if (item.type === 'remote') {
    return { ...item, url: MASK, name: MASK, ...(item.otherwise && { otherwise: maskedWords(item.otherwise) }) };
  }
  return item.type === 'ssml' ? { ...item, ssml: MASK } : item;
}
