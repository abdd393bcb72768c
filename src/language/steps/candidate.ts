/**
 * One dialled party, from ringing until it may be connected. `ring.ts` rings several candidates and selects the first
 * that is ready.
 */
import { type Cause, dialOutcome, NORMAL_CLEARING } from '../../base/core/causes.ts';
import type { AudioItem, LegEvent } from '../../base/core/leg.ts';
import type { SipHeaders } from '../../base/core/sip-headers.ts';
import { keysRequest } from './keys-request.ts';
import type { StepParty } from './step.ts';

/** Result of one dialled member. */
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
  /** DTMF digits sent to the party right after its answer. */
  keys?: string;
  detect?: { timeoutMs: number; awaitBeepMs: number };
  /** Call screening: prompt, key to accept, time for a key, and number of prompts. */
  screen?: { audio: AudioItem[]; accept: string; timeoutMs: number; attempts: number };
}

/** Final status of a refused REFER (RFC 3261 §21.6.2). */
export const DECLINED = 603;

export class Candidate {
  readonly party: StepParty;
  readonly to: string;
  result: MemberResult | undefined;
  cause: Cause | undefined;
  /** SIP headers of the answer or of the rejection. */
  headers: SipHeaders | undefined;
  /** `ready`: the party has answered and passed machine detection and screening. */
  stage: 'ringing' | 'keying' | 'detecting' | 'screening' | 'ready' | 'whispering' | 'over' = 'ringing';
  /** True if the party sends audio before its answer. */
  hasEarlyMedia = false;
  hasRung = false;
  /** Deadline for a key in the current screening attempt. */
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
        // Also after a failed play: a whisper that cannot be played must not prevent the connection.
        if (this.stage === 'whispering') this.stage = 'ready';
        else this.dueMs = nowMs + (this.#conditions.screen?.timeoutMs ?? 0);
        return;
      case 'digit':
        if (this.stage === 'screening') this.#onKey(event.digit);
        return;
      case 'referred':
        // The party is not connected yet, so there is no call that it could transfer.
        this.party.send({ type: 'refer_progress', referId: event.referId, sipStatus: DECLINED });
        return;
      case 'ended':
        if (this.stage === 'ringing') this.headers = event.headers;
        this.#over(this.#wordOf(event.cause), event.cause);
    }
  }

  /** Plays the whisper; the stage is `ready` again at its end. */
  whisper(audio: readonly AudioItem[]): void {
    this.stage = 'whispering';
    this.#playId = this.party.play([...audio]);
  }

  /** Ends the screening attempt if its deadline has passed. */
  onTimeout(nowMs: number): void {
    if (this.dueMs !== undefined && this.dueMs <= nowMs) this.#askAgain();
  }

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

  /** A party that hangs up after its answer counts as declined. */
  #wordOf(cause: Cause): MemberResult {
    if (this.stage === 'ringing') return dialOutcome(cause);
    return this.stage === 'screening' ? 'screened' : 'declined';
  }
}
