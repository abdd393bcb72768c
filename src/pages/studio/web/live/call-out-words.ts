/** Phases of a call to a phone in words, and the reasons why one cannot be placed. Pure; used by `call-out.tsx`. */

import { t } from '../../../shared/web/words/translate.ts';
import type { CallRow } from '../call-rows/call-row.ts';
import { resultWords } from '../journal/result-words.ts';

/** States of a call that was not answered yet. */
const UNANSWERED = new Set(['', 'initiated', 'ringing']);

export interface CallPhase {
  words: string;
  /** `wait` until the answer, `good` while it is answered and after a normal end, `bad` if it was not answered. */
  tone: 'wait' | 'good' | 'bad';
  isOver: boolean;
}

/** `connected`: true if the ended call was answered. Without a row, the call was placed just now. */
export function phaseOf(row: CallRow | undefined, connected: boolean | undefined): CallPhase {
  if (row?.endedMs !== undefined) {
    const reason = row.cause === undefined ? t('Ended') : resultWords(row.cause);
    return connected
      ? { words: t('Over: {reason}', { reason }), tone: 'good', isOver: true }
      : { words: t('Not answered: {reason}', { reason }), tone: 'bad', isOver: true };
  }
  if (row === undefined || !(UNANSWERED.has(row.state) && row.step === undefined))
    return row === undefined
      ? { words: t('Calling'), tone: 'wait', isOver: false }
      : { words: t('Answered'), tone: 'good', isOver: false };
  return { words: row.state === 'ringing' ? t('Ringing') : t('Calling'), tone: 'wait', isOver: false };
}

/** A number of a project. */
export interface OwnNumber {
  number: string;
  flow?: string;
  project?: string;
}

/** Numbers of the project that a call may present: those of the flow first. */
export function callerIds(numbers: readonly OwnNumber[], flow: string, project: string | undefined): string[] {
  const own = numbers.filter((each) => project === undefined || each.project === undefined || each.project === project);
  const ofFlow = own.filter((each) => each.flow === flow);
  return [...new Set([...ofFlow, ...own].map(({ number }) => number))];
}

/** True if the destination needs a route: a number, in contrast to a SIP address or a user of this service. */
export const needsRoute = (to: string): boolean => !/^(sips?|user):/i.test(to.trim());
