/** Carries out what a dialled party means to do: ring, be heard, answer, greet, hang up. */
import { type Cause, causeOfSip, NO_ROUTE } from '../../core/causes.ts';
import type { Answerer, CalleePlan } from './far-end.ts';

/** What the plan may do to its line. */
export interface CalleeLine {
  /** Later, unless the line ends first. */
  intend(delayMs: number, act: () => void): void;
  ring(): void;
  /** From now on it is heard, although it has not answered. */
  becomeAudible(): void;
  answer(): void;
  hangUp(): void;
  refuse(cause: Cause, by: 'far' | 'network', sipStatus?: number): void;
  speak(durationMs: number): void;
  /** Heard by what detects machines alone. */
  hello(durationMs: number): void;
  beep(): void;
  fax(): void;
}

/** People take a moment, and say hello for so long. */
const HELLO = { afterMs: 300, lastsMs: 600 };
const BEEP_MS = 300;

export function beginCallee(plan: CalleePlan, line: CalleeLine): void {
  const refuse = (sipStatus: number, afterMs = 0): void =>
    line.intend(afterMs, () => line.refuse(causeOfSip(sipStatus), 'far', sipStatus));
  switch (plan.does) {
    case 'busy':
      refuse(486, plan.afterMs);
      break;
    case 'declined':
      refuse(603, plan.afterMs);
      break;
    case 'fail':
      refuse(plan.sipStatus, plan.afterMs);
      break;
    case 'unreachable':
      line.intend(plan.afterMs ?? 0, () => line.refuse(NO_ROUTE, 'network'));
      break;
    case 'no_answer':
      line.intend(plan.ringsAfterMs ?? 0, () => line.ring());
      hearEarly(plan, line);
      break;
    case 'answer': {
      const { ringsAfterMs = 0, afterMs = 0, talkMs } = plan;
      if (ringsAfterMs <= afterMs) line.intend(ringsAfterMs, () => line.ring());
      hearEarly(plan, line);
      line.intend(afterMs, () => {
        line.answer();
        if (talkMs !== undefined) line.intend(talkMs, () => line.hangUp());
      });
      break;
    }
  }
}

function hearEarly({ earlyMediaAfterMs }: { earlyMediaAfterMs?: number }, line: CalleeLine): void {
  if (earlyMediaAfterMs !== undefined) line.intend(earlyMediaAfterMs, () => line.becomeAudible());
}

/** From the answer on. */
export function greet(who: Answerer, line: CalleeLine): void {
  switch (who.is) {
    case 'human':
      line.intend(HELLO.afterMs, () => line.hello(HELLO.lastsMs));
      break;
    case 'machine': {
      const { greetingMs, beepAfterMs } = who;
      line.speak(greetingMs);
      if (beepAfterMs !== undefined) line.intend(greetingMs + beepAfterMs + BEEP_MS, () => line.beep());
      break;
    }
    case 'fax':
      line.fax();
      break;
    case 'silent':
      break;
  }
}
