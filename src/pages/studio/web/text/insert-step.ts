/**
 * Inserts a step of a verb at an exit, so that `check` finds no new error: the outcome that continues the call leads to
 * the previous target, unsuccessful ones to the landing (`landing.ts`). Pure.
 */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { graphOf, type ReturnsByFlow } from '../../../../language/flow/graph.ts';
import { type FoundOutcome, findOutcomes } from '../../../../language/flow/possible-outcomes.ts';
import type { Change } from '../../../../language/flow/text/change.ts';
import { applyEdits, type Edit, type EditRefusal, isRefusal } from '../../../../language/flow/text/edits.ts';
import { type FlowSource, openText, type Path, valueAt } from '../../../../language/flow/text/flow-source.ts';
import type { LanguageVerb } from '../../../../language/flow/text/language.ts';
import { addTo, freshName } from '../../../../language/flow/text/new-names.ts';
import { keysAt } from '../../../../language/flow/text/references.ts';
import { rewriteSource } from '../../../../language/flow/text/rewrite.ts';
import { mannerOf, writeBlockPair } from '../../../../language/flow/text/write-yaml.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { declarationsOf } from './declarations.ts';
import { setOrAdd, targetNow, wayChanges } from './edit.ts';
import { withValue } from './first-arguments.ts';
import { inWordsOf } from './first-words.ts';
import { isErrorCircular, landingOf } from './landing.ts';
import { laterStep } from './later-step.ts';

const END = '$end';

export interface Insertion {
  verb: string;
  /** Arguments of the step, as `first-arguments.ts` gives them. */
  args: Json;
  /** Exit at which the step is inserted. Undefined: the flow has no steps, and this is its first. */
  at?: { step: string; outcome: string };
  language: Readonly<Record<string, LanguageVerb>>;
  /** Outcomes that other flows return. */
  flows?: ReturnsByFlow;
  /** Name of the flow, for a text that is empty. */
  flow?: string;
  /** Steps to delete, because the new one ends the flow before them. */
  dropped?: readonly string[];
  /** Task of a step `todo` that keeps the place of the step. */
  later?: string;
}

export interface Inserted {
  edits: Edit[];
  /** Name of the new step. */
  name: string;
  /** Previous target of the exit. */
  next: string;
  /** Target that `defaults.exits.error` was given, if the flow had none. */
  broken?: string;
}

export function insertStep(text: string, insertion: Insertion): Inserted | EditRefusal {
  if (text.trim() === '') return firstStepOf(text, insertion);
  const source = openText(text);
  if (isRefusal(source)) return source;
  const { value } = source;
  const { steps } = value;
  if (steps === null || (isObject(steps) && Object.keys(steps).length === 0))
    return withoutEmptySteps(text, source, insertion);
  const { verb, at, language } = insertion;
  const names = keysAt(value, ['steps']);
  if (at === undefined && names.length > 0)
    return { refused: t('The flow has steps already'), hint: t('choose an exit') };
  const name = freshName(verb, names);
  const next = (at && targetNow(value, at, language)) || END;
  const made = nowOrLater(value, { ...insertion, args: inWordsOf(value, insertion.args), name, next });
  const way: Change[] | EditRefusal = at === undefined ? [] : wayChanges(value, { ...at, target: name }, language);
  if (isRefusal(way)) return way;
  const place: Change[] =
    at === undefined
      ? firstStep(source, name, made.step)
      : [{ do: 'add', path: ['steps'], key: name, value: made.step, after: at.step }];
  const defaults = made.broken === undefined ? [] : setOrAdd(value, ['defaults', 'exits', 'error'], made.broken);
  if (isRefusal(defaults)) return defaults;
  const dropped = (insertion.dropped ?? []).map((step): Change => ({ do: 'remove', path: ['steps', step] }));
  const changes = [...defaults, ...declarations(value, insertion), ...way, ...place, ...dropped];
  const edits = rewriteSource(source, changes);
  return isRefusal(edits) ? edits : { edits, name, next, ...(made.broken !== undefined && { broken: made.broken }) };
}

/** A key `steps` without steps is removed first, so that each step gets a line. */
function withoutEmptySteps(text: string, source: FlowSource, insertion: Insertion): Inserted | EditRefusal {
  const removed = rewriteSource(source, [{ do: 'remove', path: ['steps'] }]);
  if (isRefusal(removed)) return removed;
  const rest = applyEdits(text, removed);
  const made = insertStep(rest, insertion);
  if (isRefusal(made)) return made;
  return { ...made, edits: [{ from: 0, to: text.length, insert: applyEdits(rest, made.edits) }] };
}

/** Writes a whole flow in place of an empty text. */
function firstStepOf(text: string, insertion: Insertion): Inserted {
  const { verb: name, flow = 'new-flow' } = insertion;
  const { step, broken } = nowOrLater({}, { ...insertion, name, next: END });
  const [vars] = declarations({}, insertion);
  const pairs: [string, Json][] = [
    ['flow', flow],
    ...(vars?.do === 'add' ? [['vars', vars.value] as [string, Json]] : []),
    ...(broken === undefined ? [] : [['defaults', { exits: { error: broken } }] as [string, Json]]),
    ['start', name],
    ['steps', { [name]: step }],
  ];
  const manner = mannerOf('');
  const insert = pairs.map(([key, value]) => `${writeBlockPair(key, value, '', manner)}\n`).join('');
  return { edits: [{ from: 0, to: text.length, insert }], name, next: END, ...(broken && { broken }) };
}

/** `start` and `steps` of a flow without steps. */
function firstStep({ text, value: flow }: FlowSource, name: string, step: JsonObject): Change[] {
  const start: Change[] =
    flow['start'] === undefined ? [addTo(flow, [], 'start', name)] : [{ do: 'set', path: ['start'], value: name }];
  const value = { [name]: step };
  const manner = mannerOf(text);
  const written = manner.isJson ? {} : { written: writeBlockPair('steps', value, '', manner) };
  return [...start, { do: 'add', path: [], key: 'steps', value, ...written }];
}

/** Declarations of the variables that the step assigns. */
export const declarations = (flow: JsonObject, { verb, args, language, later }: Insertion): Change[] =>
  later === undefined && language[verb]!.form === 'assignments' && isObject(args) ? declarationsOf(flow, args) : [];

interface NewStep {
  step: JsonObject;
  broken?: string;
}

/** A step to do handles no error. */
function nowOrLater(flow: JsonObject, insertion: Insertion & { name: string; next: string }): NewStep {
  const made = stepOn(flow, insertion);
  const { later } = insertion;
  return later === undefined ? made : { step: laterStep(made.step, { ...insertion, what: later }) };
}

/** The step with its routes. `broken`: target that `defaults.exits.error` needs, if the flow has none. */
export function stepOn(flow: JsonObject, insertion: Insertion & { name: string; next: string }): NewStep {
  const { verb: verbName, name, next, language, flows } = insertion;
  const verb = language[verbName]!;
  const args = withTargets(insertion.args, findOutcomes(verb, insertion.args), next);
  const bare: JsonObject = { [verbName]: args };
  if (verb.terminal && !verb.outcomes.includes('error')) return { step: bare };
  const parts = { ...flow, steps: { [name]: bare } };
  const loose = graphOf(parts, { verbs: language, ...(flows && { flows }) })
    .steps[0]!.exits.filter(({ target }) => target === '')
    .map(({ outcome }) => outcome);
  const outcomes = findOutcomes(verb, args, (called) => flows?.get(called)?.returns);
  const isOn = (outcome: string): boolean => doesContinue(outcome, verb, outcomes);
  // The limit of `repeat` is the only outcome that continues.
  const isOnlyWay = verb.success === undefined && !outcomes.some(({ name: each }) => each !== 'error' && isOn(each));
  const place = { graph: graphOf(flow, { verbs: language }), after: insertion.at?.step, next };
  const exits: Record<string, string> = isErrorCircular(place) ? { error: next } : {};
  let broken: string | undefined;
  for (const outcome of loose) {
    if (outcome === verb.success) continue;
    if (outcome === 'error') broken = landingOf('error', place);
    else exits[outcome] = isOn(outcome) || isOnlyWay ? next : landingOf(outcome, place);
  }
  const succeeds = outcomes.some(({ name: each, isOptional }) => each === verb.success && !isOptional);
  return {
    step: { ...bare, ...(succeeds && { next }), ...(Object.keys(exits).length > 0 && { exits }) },
    ...(broken !== undefined && { broken }),
  };
}

/** True for choices, cases and events, and for outcomes that are not unsuccessful. `outcome` may be a family. */
function doesContinue(outcome: string, verb: LanguageVerb, outcomes: readonly FoundOutcome[]): boolean {
  const found = outcomes.find(({ name }) => name === outcome || name.startsWith(`${outcome}.`));
  if (found === undefined || verb.picker?.apart?.includes(outcome)) return false;
  return found.entry.each !== undefined || found.entry.kind === undefined;
}

/** Fills in the targets that the arguments lack, such as those of the cases of a branch. */
function withTargets(args: Json, outcomes: readonly FoundOutcome[], next: string): Json {
  let made = args;
  for (const { entry, at } of outcomes) {
    if (entry.target === undefined) continue;
    const path = `${at}${entry.target}`.split('/').slice(1);
    const numbered: Path = path.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    if (valueAt(made, numbered) === undefined) made = withValue(made, numbered, next);
  }
  return made;
}
