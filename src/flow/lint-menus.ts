/**
 * Checks of questions: keys that delay others, keys that also trigger an event, keys in the prompt that are not
 * choices, patterns that no keys match, and loops that ask a silent caller forever.
 */
import { quoting } from '../core/diagnostic.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { childPointer, type Issue, keyIssue, valueIssue } from '../schema/document.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { keyLengths, lengthsOfDigits } from './key-patterns.ts';
import { promptTexts } from './prompt-texts.ts';
import { usualLocale } from './speaker.ts';
import { factsOf } from './verb-facts.ts';

export function* lintMenus(draft: FlowDraft): Generator<Issue> {
  for (const step of draft.steps.values()) {
    const { args, verb } = step.compiled;
    if (!isObject(args)) continue;
    if (verb === 'menu') {
      yield* choiceKeys(step, args, draft);
      yield* saidKeys(step, args, draft);
    }
    if (verb === 'collect') yield* patterns(step, args);
  }
}

interface ChoiceKey {
  key: string;
  name: string;
  pointer: string;
}

function choicesOf({ argsPointer }: StepDraft, args: JsonObject): ChoiceKey[] {
  const choices = isObject(args['choices']) ? args['choices'] : {};
  return Object.entries(choices).flatMap(([name, choice]) => {
    const key = isObject(choice) ? choice['dtmf'] : undefined;
    if (typeof key !== 'string') return [];
    return [{ key, name, pointer: `${childPointer(`${argsPointer}/choices`, name)}/dtmf` }];
  });
}

function* choiceKeys(step: StepDraft, args: JsonObject, { flow }: FlowDraft): Generator<Issue> {
  const choices = choicesOf(step, args);
  for (const { key, name, pointer } of choices) {
    const shorter = choices.find((other) => other.key !== key && key.startsWith(other.key));
    if (shorter !== undefined) {
      const message = quoting`callers who press ${shorter.key} have to wait: ${key} begins with it`;
      yield valueIssue('prefix-digit', pointer, message, 'choose keys of which none begins another');
    }
    if (Object.hasOwn(flow.events, `dtmf.${key}`)) {
      const message = quoting`here the key ${key} chooses ${name}, and the event ${`dtmf.${key}`} does not happen`;
      yield valueIssue('event-digit', pointer, message, 'choose another key for one of them');
    }
  }
}

const NUMBER_WORDS: Readonly<Record<string, string>> = {
  zero: '0',
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  star: '*',
  asterisk: '*',
  pound: '#',
  hash: '#',
};
const SAID_KEY = new RegExp(
  `\\b(?:press|dial|tapez|appuyez sur(?: le| la)?|faites le|drücken sie(?: die)?|wählen sie(?: die)?|pulse|marque|premere|prema)\\s+(?:the |key |number |taste |touche )*["“]?([0-9*#]+|${Object.keys(NUMBER_WORDS).join('|')})(?![\\p{L}\\p{N}])`,
  'giu',
);

/** Further keys in the same sentence: “Press 1 for sales, 2 for support.” */
const SAID_AFTER = /[,;]\s+(?:and |or |et |ou |und |oder |y |o |e )?([0-9*#])\s+(?:for|to|pour|für|para|per)\b/giu;

/** Reports keys in the prompt (“Press 3”) that are neither a choice nor an event. */
function* saidKeys(step: StepDraft, args: JsonObject, { flow }: FlowDraft): Generator<Issue> {
  const choices = choicesOf(step, args);
  // Keys of list items are known only during the call.
  if (choices.length === 0 || args['each'] !== undefined) return;
  const keys = new Set([...choices.map(({ key }) => key), ...Object.keys(flow.events).map((event) => event.slice(5))]);
  const locale = usualLocale(step.compiled, flow);
  const said = new Set<string>();
  for (const text of promptTexts(flow, args['prompt'], locale).texts) {
    const isMenu = text.search(SAID_KEY) >= 0;
    const written = [...text.matchAll(SAID_KEY), ...(isMenu ? text.matchAll(SAID_AFTER) : [])].map(
      ([, key = '']) => key,
    );
    for (const key of written) said.add(NUMBER_WORDS[key.toLowerCase()] ?? key);
  }
  const missing = [...said].filter((key) => !keys.has(key));
  if (missing.length === 0) return;
  const message = `callers are asked to press ${quoting`${missing}`}, which is none of the keys`;
  const hint = `the keys are ${choices.map(({ key }) => key).join(', ')}`;
  yield valueIssue('said-digit', `${step.argsPointer}/prompt`, message, hint);
}

function* patterns({ argsPointer }: StepDraft, args: JsonObject): Generator<Issue> {
  const { digits } = args;
  if (!isObject(digits) || typeof digits['pattern'] !== 'string') return;
  const lengths = keyLengths(digits['pattern']);
  if (lengths === undefined) return;
  const pointer = `${argsPointer}/digits/pattern`;
  if (lengths === 0n) {
    const hint = 'callers press 0 to 9, * and #';
    yield valueIssue('pattern-never', pointer, 'no keys of a phone match this pattern', hint);
    return;
  }
  const { bits, words } = lengthsOfDigits(digits);
  if (bits === undefined || (lengths & bits) !== 0n) return;
  yield valueIssue('pattern-never', pointer, `nothing of ${words} matches this pattern`, 'change one of the two');
}

const asks = ({ spec }: StepDraft): boolean => factsOf(spec.verb).listens === 'asks';

/** Next step for a caller who does nothing; undefined if input, a reply or another party decides it. */
function silentTarget({ spec, compiled: { exits, maxVisits } }: StepDraft): string | undefined {
  if (maxVisits !== undefined) return undefined;
  const outcomes = Object.entries(spec.outcomeTable);
  const takesOnly = (needs: readonly string[] = [], one: string): boolean => needs.every((each) => each === one);
  const [silence] = outcomes.find(([, { needs }]) => needs !== undefined && takesOnly(needs, 'silence')) ?? [];
  const [success] = outcomes.find((entry) => entry[1].success && takesOnly(entry[1].needs, 'time')) ?? [];
  const outcome = silence ?? success;
  return outcome === undefined ? undefined : exits[outcome];
}

/** `reported`: pointers of steps in which a loop is already reported. */
export function* silentCallers({ steps }: FlowDraft, reported: ReadonlySet<string>): Generator<Issue> {
  const seen = new Set<string>();
  for (const [start, step] of steps) {
    if (!asks(step) || seen.has(start)) continue;
    const way = [start];
    let next = silentTarget(step);
    while (next !== undefined && !way.includes(next) && steps.has(next)) {
      way.push(next);
      next = silentTarget(steps.get(next)!);
    }
    if (next !== start) continue;
    for (const name of way) seen.add(name);
    if (way.some((name) => reported.has(steps.get(name)!.pointer))) continue;
    const message = `a caller who says nothing is asked again for ever: ${quoting`${[...way, start]}`}`;
    yield keyIssue('silent-caller', routePointer(step), message, 'give the question max_visits, and route its limit');
  }
}

/** Pointer to the route of a silent caller. */
function routePointer({ pointer, routes }: StepDraft): string {
  const route = routes.routes.get('exhausted.no_input');
  return route?.by === 'exits' ? childPointer(`${pointer}/exits`, route.key) : pointer;
}
