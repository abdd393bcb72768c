/**
 * One party that rings: from dialling until it may be connected. Neighbour: `ring.ts`, which rings
 * several and takes the first.
 */
import { type Cause, dialOutcome, NORMAL_CLEARING } from '../core/causes.ts';
import type { AudioItem, LegEvent } from '../core/leg.ts';
import type { SipHeaders } from '../core/sip-headers.ts';
import { keysRequest } from './send-digits.ts';
import type { StepParty } from './step.ts';

/** The result of a member that was rung. */
export type MemberResult =
  | 'answered'
  | 'no_answer'
  | 'busy'
  | 'declined'
  | 'unreachable'
  | 'screened'
  | 'machine'
  | 'not_selected';

export interface AcceptanceRules {
  /** Keys that the party that answers is sent before all else. */
  keys?: string;
  detect?: { timeoutMs: number; awaitBeepMs: number };
  /** What the party that answers has to do. */
  screen?: { audio: AudioItem[]; accept: string; timeoutMs: number; attempts: number };
}

/** The final status of a referral that is not carried out (RFC 3261 §21.6.2). */
export const DECLINED = 603;

export class Candidate {
  readonly party: StepParty;
  readonly to: string;
  result: MemberResult | undefined;
  cause: Cause | undefined;
  /** SIP headers of its answer, or of its refusal. */
  headers: SipHeaders | undefined;
  /** `ready`: it answered, and passed machine detection and screening. */
  stage: 'ringing' | 'keying' | 'detecting' | 'screening' | 'ready' | 'whispering' | 'over' = 'ringing';
  /** It sends audio before its answer. */
  hasEarlyMedia = false;
  hasRung = false;
  /** When nothing was pressed by then, an attempt to screen is over. */
  dueMs: number | undefined;
  readonly #conditions: AcceptanceRules;
  #sendId: string | undefined;
  #detectId: string | undefined;
  #playId: string | undefined;
  #attempts = 0;

  constructor(party: StepParty, conditions: AcceptanceRules) {
    this.party = party;
    this.to = party.to;
    this.#conditions = conditions;
  }

  onEvent(event: LegEvent, nowMs: number): void {
    if (this.stage === 'over') return;
    switch (event.type) {
      case 'ringing':
        this.hasRung = true;
        return;
      case 'early_media':
        this.hasEarlyMedia = true;
        return;
      case 'answered':
        this.headers = event.headers;
        if (this.stage === 'ringing') this.#sendKeys();
        return;
      case 'digits_sent':
        if (this.stage === 'keying' && event.sendId === this.#sendId) this.#detect();
        return;
      case 'machine_detected':
        if (this.stage !== 'detecting' || event.detectId !== this.#detectId) return;
        if (event.result === 'human' || event.result === 'unknown' || event.result === 'stopped') this.#ask();
        else this.drop('machine', NORMAL_CLEARING);
        return;
      case 'play_ended':
        if (event.playId !== this.#playId) return;
        this.#playId = undefined;
        // A whisper that cannot be played keeps nobody apart.
        if (this.stage === 'whispering') this.stage = 'ready';
        else this.dueMs = nowMs + (this.#conditions.screen?.timeoutMs ?? 0);
        return;
      case 'digit':
        if (this.stage === 'screening') this.#onKey(event.digit);
        return;
      case 'referred':
        // It is not connected with anybody yet that it could transfer.
        this.party.send({ type: 'refer_progress', referId: event.referId, sipStatus: DECLINED });
        return;
      case 'ended':
        if (this.stage === 'ringing') this.headers = event.headers;
        this.#over(this.#wordOf(event.cause), event.cause);
    }
  }

  /** It is ready again when it has heard this. */
  whisper(audio: readonly AudioItem[]): void {
    this.stage = 'whispering';
    this.#playId = this.party.play([...audio]);
  }

  /** The time for a key is over. */
  onTimeout(nowMs: number): void {
    if (this.dueMs !== undefined && this.dueMs <= nowMs) this.#askAgain();
  }

  /** Hangs it up. */
  drop(word: MemberResult, cause: Cause): void {
    if (this.stage === 'over') return;
    this.party.send({ type: 'hangup', cause: cause.code });
    this.#over(word, cause);
  }

  #sendKeys(): void {
    const { keys } = this.#conditions;
    if (keys === undefined) {
      this.#detect();
      return;
    }
    this.stage = 'keying';
    this.#sendId = this.party.request(keysRequest({ digits: keys }));
  }

  #detect(): void {
    const { detect } = this.#conditions;
    if (detect) {
      this.stage = 'detecting';
      this.#detectId = this.party.request({ type: 'detect_machine', ...detect });
    } else this.#ask();
  }

  #ask(): void {
    const { screen } = this.#conditions;
    if (!screen) {
      this.stage = 'ready';
      return;
    }
    this.stage = 'screening';
    this.#attempts += 1;
    this.dueMs = undefined;
    this.#playId = this.party.play(screen.audio);
  }

  #onKey(digit: string): void {
    if (this.#playId !== undefined) this.party.stopPlay(this.#playId);
    this.#playId = undefined;
    this.dueMs = undefined;
    if (digit === this.#conditions.screen?.accept) this.stage = 'ready';
    else this.#askAgain();
  }

  #askAgain(): void {
    this.dueMs = undefined;
    if (this.#attempts < (this.#conditions.screen?.attempts ?? 1)) this.#ask();
    else this.drop('screened', NORMAL_CLEARING);
  }

  #over(word: MemberResult, cause: Cause): void {
    this.stage = 'over';
    this.dueMs = undefined;
    this.result = word;
    this.cause = cause;
  }

  /** A party that answers and hangs up has declined. */
  #wordOf(cause: Cause): MemberResult {
    if (this.stage === 'ringing') return dialOutcome(cause);
    return this.stage === 'screening' ? 'screened' : 'declined';
  }
}
