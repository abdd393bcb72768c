/** Long silences of a call, with the step in which they lie and what would fill them. Pure. */
import type { Language } from '../../../../language/flow/text/language.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { Entry } from '../journal/entries.ts';
import { lengthInWords } from '../journal/moment.ts';
import { type Silence, silencesOf } from '../journal/silence.ts';
import type { Visit } from '../journal/visits.ts';

export interface SilentGap extends Silence {
  text: string;
  /** Advice that removes the silence. */
  advice: string;
}

/** Shorter silences are part of every talk. */
const LONG_MS = 3000;
/** Argument of verbs that can play something while they wait. */
const MEANWHILE = 'meanwhile';

type Verbs = Language['verbs'];

/** `verbs` is undefined until the description of the language is loaded. */
export function silentGapsOf(
  journal: readonly Entry[],
  visits: readonly Visit[],
  lengthMs: number,
  verbs: Verbs | undefined,
): SilentGap[] {
  return silencesOf(journal)
    .filter(({ fromMs, toMs }) => toMs - fromMs >= LONG_MS)
    .map((silence) => ({
      ...silence,
      text: t('{length} nothing heard', { length: lengthInWords(silence.toMs - silence.fromMs) }),
      advice: adviceOn(stepOf(silence, visits, lengthMs), verbs),
    }));
}

/** Innermost step that takes the largest part of the silence. */
function stepOf({ fromMs, toMs }: Silence, visits: readonly Visit[], lengthMs: number): Visit | undefined {
  const shared = (visit: Visit): number =>
    Math.min(toMs, visit.toMs ?? lengthMs) - Math.max(fromMs, visit.fromMs) + visit.depth / 1000;
  return visits.filter((visit) => shared(visit) > 1).toSorted((one, other) => shared(other) - shared(one))[0];
}

function adviceOn(visit: Visit | undefined, verbs: Verbs | undefined): string {
  if (visit === undefined) return t('No step runs at this time');
  const { step } = visit;
  const verb = verbs?.[visit.verb];
  if (verb?.schema.properties?.[MEANWHILE] !== undefined)
    return t('Add meanwhile: to {step}, so that the caller hears something', { step });
  if (verb?.group === 'ask')
    return t('{step} waits for the caller: a shorter start_timeout asks again sooner', { step });
  return t('Say something before {step}, which takes this long', { step });
}
