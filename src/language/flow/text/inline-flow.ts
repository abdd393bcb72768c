/**
 * Puts the steps of a local flow in the place of the step that runs it. `inline-plan.ts` finds the names and the reasons
 * against it, this file writes it: the steps keep their characters and comments, except names and indentation.
 *
 * A `return` step becomes the assignments of the step that ran the flow, or disappears if there are none.
 */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { ReturnsByFlow } from '../graph.ts';
import { END, routeOf } from '../outcome.ts';
import type { Change } from './change.ts';
import { applyEdits, type Edit, type EditRefusal, isRefusal } from './edits.ts';
import { codeOf } from './expression-code.ts';
import { pairText, pathOf } from './extract-local.ts';
import { ENDS_ITSELF } from './extract-plan.ts';
import { type FlowSource, openText, type Path, valueAt } from './flow-source.ts';
import type { InlinedNames } from './inline-in-test.ts';
import { type InlinePlan, inlinePlanOf, returnedBy, singleRead, usualTarget } from './inline-plan.ts';
import type { Language } from './language.ts';
import { addTo, freshName } from './new-names.ts';
import { keysAt, targetsIn } from './references.ts';
import { assignments } from './rename-names.ts';
import { rewriteSource } from './rewrite.ts';
import { redirectedReads, type ScopeRead } from './scope-reads.ts';
import { mannerOf, writePair } from './write-yaml.ts';

export interface Inlining {
  /** Step that runs the local flow. */
  step: string;
  language: Language;
  /** Outcomes that flows of other files return. */
  flows?: ReturnsByFlow;
}

export interface Inlined {
  edits: Edit[];
  /** Name of the local flow. */
  flow: string;
  /** First of the steps that take the place. */
  entry: string;
  /** Names by which tests follow. */
  names: InlinedNames;
}

/** End of the local flow: a `return` step, or the end without one. */
interface LocalEnd {
  /** Name of the `return` step in the local flow. */
  step?: string;
  outcome: string;
  target: string;
  output: JsonObject;
  /** Name of the step that assigns, if the calling step assigns. */
  keep?: string;
}

export function inlineStep(text: string, { step, language, flows }: Inlining): Inlined | EditRefusal {
  const source = openText(text);
  if (isRefusal(source)) return source;
  const plan = inlinePlanOf(source.value, step, language, flows);
  if (isRefusal(plan)) return plan;
  const taken = [...keysAt(source.value, ['steps']), ...plan.names.values()];
  const begin = Object.keys(plan.begin).length > 0 ? freshName(`begin_${plan.call}`, taken) : undefined;
  const first = String(plan.local['start']);
  const renamed = renamedInside(source, plan, language);
  if (isRefusal(renamed)) return renamed;
  const ends = endsOf(source.value, renamed, plan);
  if (isRefusal(ends)) return ends;
  const firstEnd = ends.find((end) => end.step === first);
  const inner = firstEnd === undefined ? plan.names.get(first)! : (firstEnd.keep ?? firstEnd.target);
  const entry = begin ?? inner;
  const inside = routedInside(renamed, plan, ends, entry, language);
  if (isRefusal(inside)) return inside;
  const edits = writeSteps({ source, inside, plan, ends, entry, begin, inner, language });
  if (isRefusal(edits)) return edits;
  return { edits, flow: plan.name, entry, names: namesOf(plan, ends, entry, begin) };
}

function namesOf(
  { call, name, names }: InlinePlan,
  ends: readonly LocalEnd[],
  entry: string,
  begin: string | undefined,
): InlinedNames {
  const returns = ends.filter(({ step }) => step !== undefined);
  const kept = new Map(returns.map(({ step, keep }) => [step, keep]));
  const steps = [...names].map(([from, to]) => [from, kept.has(from) ? kept.get(from) : to] as const);
  return {
    ...{ call, name, entry, begin, returns: returns.map(({ step }) => step!), steps: Object.fromEntries(steps) },
    keep: ends.find(({ step }) => step === undefined)?.keep,
  };
}

/** The file in which the local flow has the new names, and reads what its inputs become. */
function renamedInside(source: FlowSource, plan: InlinePlan, { verbs }: Language): FlowSource | EditRefusal {
  const { local, name, names, variables, inputs } = plan;
  const redirect = ({ scope, name: read = '', field }: ScopeRead): readonly string[] | undefined => {
    if (scope === 'input') return inputs.get(read);
    const to = (scope === 'vars' ? variables : names).get(read);
    return to === undefined || to === read ? undefined : [scope, to, ...(field === undefined ? [] : [field])];
  };
  const changes = [
    ...redirectedReads(local['output'], ['output'], redirect),
    ...keysAt(local, ['steps']).flatMap((step) =>
      redirectedReads(valueAt(local, ['steps', step]), ['steps', step], redirect),
    ),
    ...[...variables].flatMap(([from, to]) => (from === to ? [] : assignments(local, { from, to }, verbs))),
  ];
  return rewritten(source, within(name, changes));
}

const within = (name: string, changes: readonly Change[]): Change[] =>
  changes.map((change) => ({ ...change, path: ['flows', name, ...change.path] }));

function rewritten(source: FlowSource, changes: readonly Change[]): FlowSource | EditRefusal {
  const edits = rewriteSource(source, changes);
  return isRefusal(edits) ? edits : openText(applyEdits(source.text, edits));
}

function endsOf(flow: JsonObject, renamed: FlowSource, plan: InlinePlan): LocalEnd[] | EditRefusal {
  const { call, name, names, inner } = plan;
  const at: Path = ['flows', name];
  const assigns = keysAt(flow, ['steps', call, 'set']).length > 0;
  const whole = valueAt(renamed.value, [...at, 'output']);
  const made: LocalEnd[] = [];
  const add = (outcome: string, output: Json | undefined, step?: string): EditRefusal | undefined => {
    const target = plan.targetOf(outcome);
    if (target === undefined) return { refused: `${call} has no route for ${outcome}`, hint: 'route it first' };
    if (output !== undefined && !isObject(output)) return { refused: `${name} gives back a single expression` };
    const taken = [...keysAt(flow, ['steps']), ...names.values()];
    const keep = step === undefined ? freshName(`keep_${call}`, taken) : names.get(step)!;
    made.push({ outcome, target, output: output ?? {}, ...(step !== undefined && { step }), ...(assigns && { keep }) });
    return undefined;
  };
  for (const step of keysAt(plan.local, ['steps'])) {
    const written = valueAt(renamed.value, [...at, 'steps', step, ENDS_ITSELF]);
    const outcome = returnedBy(written);
    if (outcome === undefined) continue;
    const refused = add(
      outcome,
      (isObject(written ?? null) ? (written as JsonObject)['output'] : undefined) ?? whole,
      step,
    );
    if (refused !== undefined) return refused;
  }
  const isEnded = [...inner.steps.values()].some(({ ways }) =>
    ways.some(({ outcome, target }) => target === END && !/^(?:error|hangup)\b/.test(outcome)),
  );
  const refused = isEnded ? add('done', whole) : undefined;
  return refused ?? made;
}

/** The file in which the steps of the local flow lead to those of the flow. */
function routedInside(
  renamed: FlowSource,
  plan: InlinePlan,
  ends: readonly LocalEnd[],
  entry: string,
  { verbs }: Language,
): FlowSource | EditRefusal {
  const { local, name, names, inner, call, values } = plan;
  const outside = (target: string): string => (target === call ? entry : target);
  const endTarget = (end: LocalEnd): string => end.keep ?? outside(end.target);
  const failed = outside(plan.targetOf('error') ?? END);
  const leadTo = (target: string, isError: boolean): string => {
    if (target === END && isError) return failed;
    const end = ends.find((each) => (target === END ? each.step === undefined : each.step === target));
    return end === undefined ? (names.get(target) ?? target) : endTarget(end);
  };
  const changes: Change[] = [];
  for (const { path, name: target } of targetsIn(local, verbs)) {
    if (path[0] !== 'steps' || returnedBy(valueAt(local, ['steps', path[1]!, ENDS_ITSELF])) !== undefined) continue;
    const isError = path[2] === 'exits' && /^error\b/.test(String(path[3]));
    const to = leadTo(target, isError);
    if (isError && to === END && target !== END) return { refused: `An error of ${path[1]} would end the flow` };
    if (to !== target) changes.push({ do: 'set', path, value: to });
  }
  const section = valueAt(renamed.value, ['steps', call, 'section']);
  for (const { name: step, ways } of inner.steps.values()) {
    const at: Path = ['steps', step];
    if (valueAt(local, [...at, ENDS_ITSELF]) !== undefined) continue;
    if (section !== undefined && valueAt(local, [...at, 'section']) === undefined) {
      changes.push({ do: 'add', path: at, key: 'section', value: section });
    }
    const written = keysAt(local, [...at, 'exits']);
    const exits = Object.fromEntries(written.map((exit) => [exit, String(valueAt(local, [...at, 'exits', exit]))]));
    const missing: Record<string, string> = {};
    for (const { outcome, target, own } of ways) {
      const isFault = /^error\b/.test(outcome);
      if (target === '' || /^hangup\b/.test(outcome) || routeOf(outcome, exits) !== undefined || (own && !isFault))
        continue;
      const to = leadTo(target, isFault);
      if (isFault && to === END && target !== END) return { refused: `An error of ${step} would end the flow` };
      if (to !== outside(usualTarget(plan, outcome) ?? '')) missing[outcome] = to;
    }
    const added = Object.entries(missing);
    if (added.length === 0) continue;
    if (written.length === 0) changes.push({ do: 'add', path: at, key: 'exits', value: missing });
    else for (const [key, value] of added) changes.push({ do: 'add', path: [...at, 'exits'], key, value });
  }
  for (const [from, to] of names) if (from !== to) changes.push({ do: 'key', path: ['steps', from], to });
  return values.steps.has(call) ? rewritten(renamed, within(name, changes)) : renamed;
}

interface Writing {
  source: FlowSource;
  inside: FlowSource;
  plan: InlinePlan;
  ends: readonly LocalEnd[];
  entry: string;
  begin: string | undefined;
  /** First step behind the assignments of the inputs. */
  inner: string;
  language: Language;
}

function writeSteps(writing: Writing): Edit[] | EditRefusal {
  const { source, inside, plan, ends, entry, begin, inner, language } = writing;
  const { value: flow } = source;
  const { call, name } = plan;
  const step = valueAt(flow, ['steps', call]) as JsonObject;
  const section: JsonObject = step['section'] === undefined ? {} : { section: step['section'] };
  const faults = plan.targetOf('error') ?? END;
  const exits: JsonObject =
    faults === usualTarget(plan, 'error') ? {} : { exits: { error: faults === call ? entry : faults } };
  const written: { key: string; value: Json; text?: string }[] = [];
  let remarks = remarksOf(source, ['steps', call]).concat(
    ['label', 'doc'].flatMap((key) => remarkLines(step[key])),
    plan.isUnused ? remarksOf(source, ['flows', name]) : [],
    plan.isUnused ? remarkLines(plan.local['doc']) : [],
  );
  const put = (key: string, value: Json, text = writePair(key, value, mannerOf(source.text))): void => {
    written.push({ key, value, text: [...remarks, text].join('\n') });
    remarks = [];
  };
  if (begin !== undefined) put(begin, { set: plan.begin, ...section, next: inner === call ? entry : inner, ...exits });
  const keeping = (end: LocalEnd): EditRefusal | undefined => {
    if (end.keep === undefined) return undefined;
    const given = givenValues(step['set'] ?? {}, end, call);
    if (isRefusal(given)) return given;
    const { set } = given;
    const sensitive: JsonObject = step['sensitive'] === true ? { sensitive: true } : {};
    put(end.keep, { set, ...section, ...sensitive, next: end.target === call ? entry : end.target, ...exits });
    return undefined;
  };
  for (const [from, to] of plan.names) {
    const end = ends.find((each) => each.step === from);
    const at: Path = ['flows', name, 'steps', to];
    const text = pairText(inside, at);
    const value = valueAt(inside.value, at);
    if (text === undefined || value === undefined) return { refused: 'The steps cannot be moved as they are written' };
    if (end === undefined) put(to, value, text);
    else {
      remarks.push(...remarksOf(inside, at));
      const refused = keeping(end);
      if (refused !== undefined) return refused;
    }
  }
  for (const end of ends.filter((each) => each.step === undefined)) {
    const refused = keeping(end);
    if (refused !== undefined) return refused;
  }
  const last = written.at(-1);
  if (last === undefined) return { refused: `${name} has no steps of its own` };
  if (remarks.length > 0) last.text = `${last.text}\n${remarks.map((line) => `  ${line}`).join('\n')}`;
  const reads = outsideReads(flow, plan, ends);
  if (isRefusal(reads)) return reads;
  const all = keysAt(flow, ['steps']);
  const before = all[all.indexOf(call) - 1];
  const place = before === undefined ? { first: true } : { after: before };
  const isLast = keysAt(flow, ['flows']).length === 1;
  return rewriteSource(source, [
    ...targetsIn(flow, language.verbs).flatMap(({ path, name: target }): Change[] =>
      target === call && !(path[0] === 'steps' && path[1] === call) ? [{ do: 'set', path, value: entry }] : [],
    ),
    ...reads,
    ...written.map(
      ({ key, value, text }): Change => ({
        ...{ do: 'add', path: ['steps'], key, value, ...place },
        ...(text !== undefined && { written: text }),
      }),
    ),
    ...declarations(source, plan),
    { do: 'remove', path: ['steps', call] },
    ...(plan.isUnused ? [{ do: 'remove' as const, path: isLast ? ['flows'] : ['flows', name] }] : []),
  ]);
}

/** Declarations of the variables that move to the flow, and of those that inputs become. */
function declarations(source: FlowSource, { name, local, variables, declared }: InlinePlan): Change[] {
  const { value: flow } = source;
  const moved = [...variables].map(([from, to]) => {
    const text = from === to ? pairText(source, ['flows', name, 'vars', from]) : undefined;
    return { key: to, value: valueAt(local, ['vars', from])!, ...(text !== undefined && { written: text }) };
  });
  const made = Object.entries(declared).map(([key, value]) => ({ key, value }));
  const all = [...moved, ...made];
  if (all.length === 0) return [];
  if (flow['vars'] === undefined) {
    return [addTo(flow, [], 'vars', Object.fromEntries(all.map(({ key, value }): [string, Json] => [key, value])))];
  }
  return all.map((each): Change => ({ do: 'add', path: ['vars'], ...each }));
}

/** Comments above a pair, without indentation. */
function remarksOf(source: FlowSource, path: Path): string[] {
  const lines = pairText(source, path)?.split('\n') ?? [];
  const first = lines.findIndex((line) => !line.startsWith('#'));
  return lines.slice(0, Math.max(first, 0));
}

const remarkLines = (words: Json | undefined): string[] =>
  typeof words === 'string'
    ? words
        .trimEnd()
        .split('\n')
        .map((line) => `# ${line}`.trimEnd())
    : [];

// --- results ---------------------------------------------------------------------------------------------------------

/** Reads of the result of the step become reads of what the local flow gave back. */
function outsideReads(flow: JsonObject, plan: InlinePlan, ends: readonly LocalEnd[]): Change[] | EditRefusal {
  const { call, values, isReentered } = plan;
  let refusal: EditRefusal | undefined;
  const redirect = (read: ScopeRead): string[] | undefined => {
    const { scope, name, field } = read;
    if (scope !== 'steps' || name !== call || field === undefined) return undefined;
    const giving = ends.filter(({ output }) => output[field] !== undefined);
    const paths = giving.map(({ output }) => singleRead(output[field]));
    const [path] = paths;
    const isOne = path !== undefined && isMoved(path, plan) && paths.every((each) => each?.join() === path.join());
    const isMissed = ends.some(
      (end) => !giving.includes(end) && values.neededAt(end.target).has(`steps ${call} ${field}`),
    );
    if (isOne && !isMissed && !(isReentered && giving.length < ends.length)) return path;
    refusal ??= { refused: `The result ${field} of ${call} is read elsewhere, and is not one value of the flow` };
    return undefined;
  };
  const parts: Path[] = [
    ['defaults'],
    ['output'],
    ...keysAt(flow, ['steps']).flatMap((step) => (step === call ? [] : [['steps', step]])),
  ];
  const changes = parts.flatMap((path) => redirectedReads(valueAt(flow, path), path, redirect));
  return refusal ?? changes;
}

/** True for values that only the moved steps change: any other may be newer than what the local flow gave back. */
const isMoved = ([scope, name]: readonly string[], { variables, names, declared }: InlinePlan): boolean =>
  scope === 'input' ||
  (scope === 'vars' && (Object.hasOwn(declared, name!) || [...variables.values()].includes(name!))) ||
  (scope === 'steps' && [...names.values()].includes(name!));

const RESULT = /(?<![\w.`$])result(?!\w)(?:\s*\.\s*(\w+|`[^`\n]+`))?/g;

/** Assignments of the calling step with what this end gives back in place of `result`. */
function givenValues(set: Json, end: LocalEnd, call: string): { set: Json } | EditRefusal {
  let refusal: EditRefusal | undefined;
  const visit = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(visit);
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, visit(each)]));
    if (typeof value !== 'string' || !value.includes('${')) return value;
    const code = codeOf(value, false);
    const fieldOf = (name: string | undefined): Json | undefined => end.output[(name ?? '').replaceAll('`', '')];
    const alone = /^\s*\$\{\s*result\s*\.\s*(\w+|`[^`\n]+`)\s*\}\s*$/.exec(value);
    if (alone !== null && fieldOf(alone[1]) !== undefined) return fieldOf(alone[1])!;
    return value.replaceAll(RESULT, (match: string, name: string | undefined, at: number) => {
      if (code.slice(at, at + match.length) !== match) return match;
      const path = singleRead(fieldOf(name));
      if (path !== undefined) return pathOf(path);
      refusal ??= {
        refused: `${call} assigns more than ${end.outcome} gives back`,
        hint: 'give it back as one value',
      };
      return match;
    });
  };
  const made = visit(set);
  return refusal ?? { set: made };
}
