/** Executes the plan of a dialled party: ring, early media, answer, greeting, hang-up. */
import { type Cause, causeOfSip, NO_ROUTE } from '../../../base/core/causes.ts';
import type { SipHeaders } from '../../../base/core/sip-headers.ts';
import type { Answerer, CalleePlan, FarEnd } from './far-end.ts';

/** Actions of a plan on its leg. */
export interface CalleeActions extends Pick<FarEnd, 'answer' | 'hangUp' | 'speak'> {
  /** Runs `act` later, unless the leg ends first. */
  schedule(delayMs: number, act: () => void): void;
  ring(): void;
  /** Starts early media. */
  becomeAudible(): void;
  refuse(cause: Cause, by: 'far' | 'network', sipStatus?: number, headers?: SipHeaders): void;
  /** Audible to machine detection only. */
  hello(durationMs: number): void;
  beep(): void;
  fax(): void;
}

/** A person waits a moment, then greets. */
const HELLO = { afterMs: 300, lastsMs: 600 };
const BEEP_MS = 300;

export function runCalleePlan(plan: CalleePlan, line: CalleeActions) {
  const refuse = (sipStatus: number, afterMs = 0): void =>
    line.schedule(afterMs, () => line.refuse(causeOfSip(sipStatus), 'far', sipStatus, plan.headers));
  switch (plan.does) {
    case 'busy':
      return refuse(486, plan.afterMs);
    case 'declined':
      return refuse(603, plan.afterMs);
    case 'fail':
      return refuse(plan.sipStatus, plan.afterMs);
    case 'unreachable':
      return line.schedule(plan.afterMs ?? 0, () => line.refuse(NO_ROUTE, 'network'));
    case 'no_answer':
      line.schedule(plan.ringsAfterMs ?? 0, () => line.ring());
      return scheduleEarlyMedia(plan, line);
    case 'answer': {
      const { ringsAfterMs = 0, afterMs = 0, talkMs } = plan;
      if (ringsAfterMs <= afterMs) line.schedule(ringsAfterMs, () => line.ring());
      scheduleEarlyMedia(plan, line);
      line.schedule(afterMs, () => {
        line.answer();
        if (talkMs !== undefined) line.schedule(talkMs, () => line.hangUp());
      });
    }
  }
}

function scheduleEarlyMedia({ earlyMediaAfterMs }: { earlyMediaAfterMs?: number }, line: CalleeActions): void {
  if (earlyMediaAfterMs !== undefined) line.schedule(earlyMediaAfterMs, () => line.becomeAudible());
}

/** Starts with the answer. */
export function playGreeting(who: Answerer, line: CalleeActions): void {
  switch (who.is) {
    case 'human':
      line.schedule(HELLO.afterMs, () => line.hello(HELLO.lastsMs));
      break;
    case 'machine': {
      const { greetingMs, beepAfterMs } = who;
      line.speak(greetingMs);
      if (beepAfterMs !== undefined) line.schedule(greetingMs + beepAfterMs + BEEP_MS, () => line.beep());
      break;
    }
    case 'fax':
      line.fax();
      break;
    case 'silent':
      break;
  }
}
