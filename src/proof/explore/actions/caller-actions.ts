/** Actions of callers: the building parts of `verbs/NAME/actions.ts`, and the default of a verb without own actions. */
import { valueBelow } from '../../../language/flow/possible-outcomes.ts';
import { factsOf } from '../../../language/flow/verb-facts.ts';
import type { Act } from '../../testkit/scenario-form.ts';
import { type Action, leadsTo, type Moment, outcomesNeeding } from './action.ts';

const KEYS = [...'9876543210*#'];
const OTHER_WORDS = 'something else entirely';
/** Delay after the start of a prompt or a call. */
export const SOON = '300ms';

export const press = (digits: string, outcomes: readonly string[] = [], at?: string): Action => ({
  kind: 'key',
  label: `press ${digits}`,
  ...leadsTo(outcomes),
  acts: [{ press: at === undefined ? digits : { digits, at } }],
});

export const say = (text: string, outcomes: readonly string[] = []): Action => ({
  kind: 'speech',
  label: `say ${text}`,
  ...leadsTo(outcomes),
  acts: [{ say: text }],
});

/** An event of the application, delayed because it learns of the call only after its start. */
export const event = (name: string, outcomes: readonly string[] = []): Action => ({
  kind: 'event',
  label: `event ${name}`,
  ...leadsTo(outcomes),
  acts: [{ wait: SOON }, { command: { event: { name } } }],
});

/** Silence until the step asks again or gives up. */
export const silence = (moment: Moment, need = 'silence'): Action => ({
  kind: 'silence',
  label: 'silence',
  ...leadsTo(outcomesNeeding(moment, need)),
  acts: ['silence'],
});

/** Keys that the step does not accept. */
export const pressWrong = (moment: Moment, digits: string): Action => ({
  ...press(digits, outcomesNeeding(moment, 'wrong')),
  kind: 'wrong',
});

/** Words that the step does not expect. */
export const sayWrong = (moment: Moment): Action => ({
  ...say(OTHER_WORDS, outcomesNeeding(moment, 'wrong')),
  kind: 'wrong',
});

/** A key that neither the step nor an interrupt of the flow accepts. */
export const strangeKey = ({ claims = '', events }: Moment): string | undefined =>
  KEYS.find((key) => !claims.includes(key) && !Object.hasOwn(events, `dtmf.${key}`));

/** The caller lets the step continue. */
export const pass = ({ step, visit, outcomes }: Moment, more: Partial<Action> = {}): Action => ({
  kind: 'pass',
  label: `${step.name}: wait`,
  ...leadsTo(outcomes.filter(({ entry }) => isAwaited(entry.needs)).map(({ name }) => name)),
  passes: [visit],
  ...more,
});

/** True for an outcome that comes by time, or by another party. */
const isAwaited = (needs: readonly string[] = []): boolean =>
  needs.some((need) => ['time', 'silence', 'party:answer', 'party:hang_up'].includes(need));

export const hangUp = (label: string, acts: readonly Act[], more: Partial<Action> = {}): Action => ({
  kind: 'hang_up',
  label,
  leadsTo: ['hangup'],
  acts: [...acts, 'hang_up'],
  ...more,
});

/** A press of each accepted key, and waiting; during audio, one key and waiting. */
export function defaultCallerActions(moment: Moment): Action[] {
  const { step, claims } = moment;
  if (factsOf(step.verb).listens === 'sounds') {
    return [pass(moment), ...(claims === undefined ? [] : [press('1', outcomesNeeding(moment, 'key'), SOON)])];
  }
  return [...[...(claims ?? '')].map((key) => press(key, outcomesOfKey(moment, key))), pass(moment)];
}

/** Outcomes whose schema names the key, or else those that need a key which the schema does not name. */
function outcomesOfKey(moment: Moment, key: string): string[] {
  const byKey = moment.outcomes.filter(({ entry }) => entry.needs?.includes('key'));
  const keyOf = ({ entry, item }: (typeof byKey)[number]) =>
    entry.key === undefined ? undefined : valueBelow(item, entry.key);
  const named = byKey.filter((each) => String(keyOf(each) ?? '').includes(key));
  return (named.length > 0 ? named : byKey.filter(({ entry }) => entry.key === undefined)).map(({ name }) => name);
}
