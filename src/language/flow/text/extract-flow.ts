/**
 * Extracts steps as a local flow of the same file. `extract-plan.ts` finds what has to pass between both, this file
 * writes it: the moved steps keep their characters and comments, only their indentation changes.
 *
 * A way on leads to a `return` step of the local flow. The only one leads to `$end`, unless it is also that of an error,
 * which would then end the local flow with an error.
 */
import { isEqualJson, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { ReturnsByFlow } from '../graph.ts';
import { NAME_CHARACTERS, OUTCOME_NAME } from '../name-patterns.ts';
import { END } from '../outcome.ts';
import type { Change } from './change.ts';
import { type Edit, type EditRefusal, isRefusal } from './edits.ts';
import {
  beginningsOf,
  insideText,
  isSameRead,
  localText,
  type NamedExtraction,
  namesOf,
  pathOf,
} from './extract-local.ts';
import type { PlanProblem } from './extract-parts.ts';
import { type ExtractPlan, type GivenResult, planOf, unusedOutside } from './extract-plan.ts';
import { type FlowSource, openText, type Path, valueAt } from './flow-source.ts';
import type { Language } from './language.ts';
import { freshName } from './new-names.ts';
import { keysAt, targetsIn } from './references.ts';
import { rewriteSource } from './rewrite.ts';
import { redirectedReads, type ScopeRead } from './scope-reads.ts';
import { closureOf } from './step-closure.ts';
import { type FlowValues, flowValues } from './step-values.ts';

export interface Extraction {
  steps: readonly string[];
  /** Name of the local flow. Default: derived from the first step. */
  name?: string;
  /** Names of outcomes, by their targets. */
  outcomes?: Readonly<Record<string, string>>;
  language: Language;
  /** Outcomes that other flows return. */
  flows?: ReturnsByFlow;
  /** Variables that tests of the flow compare: they stay variables of the flow. */
  compared?: readonly string[];
}

export interface Extracted extends NamedExtraction {
  edits: Edit[];
}

export interface Unextracted {
  problems: readonly PlanProblem[];
  /** Smallest set of steps with one way in, if the chosen ones have several. */
  closure?: readonly string[];
}

const FLOW_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/;
const TAKEN_OUTCOMES = ['error', 'hangup', 'limit', 'timeout', 'exhausted', 'start'];

export function extractSteps(text: string, extraction: Extraction): Extracted | Unextracted {
  const source = openText(text);
  if (isRefusal(source)) return refusedBy(source);
  const { language, flows } = extraction;
  const values = flowValues(source.value, language.verbs, flows);
  const chosen = new Set(extraction.steps);
  const plan = planOf({ flow: source.value, values, chosen, language, compared: extraction.compared ?? [] });
  if (Array.isArray(plan)) return { problems: plan, ...closureFor(values, chosen) };
  const named = withNames(source.value, plan as ExtractPlan, extraction);
  if (isRefusal(named)) return refusedBy(named);
  const edits = writeFlow(source, values, named, language);
  return isRefusal(edits) ? refusedBy(edits) : { ...named, edits };
}

const refusedBy = ({ refused, hint }: EditRefusal): Unextracted => ({
  problems: [{ problem: refused, ...(hint !== undefined && { hint }) }],
});

function closureFor(values: FlowValues, chosen: ReadonlySet<string>): { closure?: string[] } {
  const closure = closureOf(values, chosen);
  if (closure === undefined || closure.size <= chosen.size) return {};
  return { closure: [...values.steps.keys()].filter((name) => closure.has(name)) };
}

function withNames(
  flow: JsonObject,
  plan: ExtractPlan,
  { name: given, outcomes = {} }: Extraction,
): NamedExtraction | EditRefusal {
  const taken = [...keysAt(flow, ['flows']), String(flow['flow'])];
  const name = given ?? freshName(plan.entry, taken);
  if (!FLOW_NAME.test(name)) return { refused: `"${name}" is not a name for a flow`, hint: 'letters, digits, _ and -' };
  if (taken.includes(name)) return { refused: `There is a flow ${name} already`, hint: 'take another name' };
  const ways = plan.ways.map((way) => ({ ...way, outcome: outcomes[way.target] ?? way.outcome }));
  const used = new Set<string>();
  for (const { outcome } of ways) {
    if (!OUTCOME_NAME.test(outcome) || TAKEN_OUTCOMES.includes(outcome)) {
      return { refused: `"${outcome}" is not a name for a way on`, hint: 'letters, digits, _ and -' };
    }
    if (used.has(outcome)) return { refused: `Two ways on are called ${outcome}`, hint: 'give them different names' };
    used.add(outcome);
  }
  const step = name.replaceAll(new RegExp(`[^${NAME_CHARACTERS}-]`, 'gu'), '_').replace(/^(?=[\d-])/, '_');
  const steps = keysAt(flow, ['steps']);
  const fresh = (base: string): string => {
    const made = freshName(base, steps);
    steps.push(made);
    return made;
  };
  const keeps = ways.filter(({ assigns }) => assigns.length > 0);
  return {
    name,
    call: fresh(step),
    keeps: Object.fromEntries(keeps.map(({ target, outcome }) => [target, fresh(`keep_${outcome}`)])),
    returns: Object.fromEntries(
      ways.filter(({ isEnd }) => !isEnd).map(({ target }) => [target, fresh(`to_${target}`)]),
    ),
    begins: beginningsOf(plan.inputs).map(({ base }) => fresh(base)),
    plan: { ...plan, ways },
  };
}

function writeFlow(
  source: FlowSource,
  values: FlowValues,
  named: NamedExtraction,
  language: Language,
): Edit[] | EditRefusal {
  const { value: flow } = source;
  const { name, call, plan } = named;
  const inside = insideText(source, named, language);
  if (isRefusal(inside)) return inside;
  const written = localText(source, inside, values, named);
  const local = openText(written);
  const isKept = (step: string): boolean =>
    !isRefusal(local) && isEqualJson(valueAt(local.value, ['steps', step]), valueAt(inside.value, ['steps', step]));
  if (isRefusal(local) || !plan.steps.every(isKept)) {
    return { refused: 'The steps cannot be moved as they are written', hint: 'write out their aliases first' };
  }
  const moved = new Set(plan.steps);
  const locals = flow['flows'];
  const gap = /\n\r?\n(?:#[^\n]*\n)*\w+:/.test(source.text) ? [''] : [];
  const lines = [
    `${name}:`,
    ...written
      .trimEnd()
      .split('\n')
      .map((line) => (line === '' ? '' : `  ${line}`)),
  ];
  const added: Change =
    locals === undefined
      ? {
          ...{ do: 'add', path: [], key: 'flows', value: { [name]: local.value } },
          written: [...gap, 'flows:', ...lines.map((line) => (line === '' ? '' : `  ${line}`))].join('\n'),
        }
      : { do: 'add', path: ['flows'], key: name, value: local.value, written: lines.join('\n') };
  const unused = unusedOutside(flow, values, plan);
  const gone: Path[] =
    unused.length === keysAt(flow, ['vars']).length ? [['vars']] : unused.map((each): Path => ['vars', each]);
  return rewriteSource(source, [
    ...targetsIn(flow, language.verbs).flatMap(({ path, name: target }): Change[] =>
      target === plan.entry && !(path[0] === 'steps' && moved.has(String(path[1])))
        ? [{ do: 'set', path, value: call }]
        : [],
    ),
    ...goneDefaults(flow, plan),
    ...outsideReads(flow, moved, call, plan.results),
    ...callSteps(source, named),
    added,
    ...plan.steps.map((step): Change => ({ do: 'remove', path: ['steps', step] })),
    ...(unused.length === 0 ? [] : gone.map((path): Change => ({ do: 'remove', path }))),
  ]);
}

/** Removes default exits to moved steps that no other step uses. */
function goneDefaults(flow: JsonObject, { steps, entry }: ExtractPlan): Change[] {
  const at: Path = ['defaults', 'exits'];
  const all = keysAt(flow, at);
  const gone = all.filter((outcome) => {
    const target = String(valueAt(flow, [...at, outcome]));
    return target !== entry && steps.includes(target);
  });
  if (gone.length < all.length) return gone.map((outcome): Change => ({ do: 'remove', path: [...at, outcome] }));
  const path = keysAt(flow, ['defaults']).length === 1 ? ['defaults'] : at;
  return gone.length === 0 ? [] : [{ do: 'remove', path }];
}

/** Reads of results of moved steps become reads of the result of the step that runs the flow. */
function outsideReads(
  flow: JsonObject,
  moved: ReadonlySet<string>,
  call: string,
  results: readonly GivenResult[],
): Change[] {
  const redirect = (read: ScopeRead): string[] | undefined => {
    const found = results.find((each) => each.read.scope === 'steps' && isSameRead(each.read, read));
    return found && ['steps', call, found.name];
  };
  return ['defaults', 'output', 'steps'].flatMap((key) => {
    if (key !== 'steps') return redirectedReads(flow[key], [key], redirect);
    return keysAt(flow, ['steps'])
      .filter((step) => !moved.has(step))
      .flatMap((step) => redirectedReads(valueAt(flow, ['steps', step]), ['steps', step], redirect));
  });
}

/** The step that runs the flow, and steps that assign what only some ways give. */
function callSteps({ value: flow }: FlowSource, { name, call, plan, keeps }: NamedExtraction): Change[] {
  const variables = plan.results.filter(({ read }) => read.scope === 'vars');
  const always = variables.filter(({ isOnEachWay }) => isOnEachWay);
  const assigning: [name: string, step: JsonObject][] = [];
  const exits: JsonObject = {};
  for (const { target, outcome, assigns } of plan.ways) {
    exits[outcome] = target;
    if (assigns.length === 0) continue;
    const step = keeps[target]!;
    const set = variables.filter(({ read }) => assigns.includes(read.name));
    assigning.push([step, { set: valuesOf(set, (each) => pathOf(['steps', call, each])), next: target }]);
    exits[outcome] = step;
  }
  if (plan.hasEnd && !plan.ways.some(({ outcome }) => outcome === 'done')) exits['done'] = END;
  if (plan.errorEnds) exits['error'] = END;
  const input = Object.fromEntries(
    plan.inputs.map(({ name: each, read }): [string, Json] => [each, `\${ ${pathOf(namesOf(read))} }`]),
  );
  const hasInput = plan.inputs.length > 0;
  const first = plan.steps[0]!;
  const section = valueAt(flow, ['steps', plan.entry, 'section']);
  const step: JsonObject = {
    subflow: hasInput ? { flow: name, input } : name,
    ...(always.length > 0 && { set: valuesOf(always, (each) => pathOf(['result', each])) }),
    ...(plan.results.some(({ read, isSensitive }) => read.scope === 'steps' && isSensitive) && { sensitive: true }),
    ...(section !== undefined && { section }),
    ...(Object.keys(exits).length > 0 && { exits }),
  };
  const all = keysAt(flow, ['steps']);
  const before = all.slice(0, all.indexOf(first)).findLast((each) => !plan.steps.includes(each));
  const place = before === undefined ? { first: true } : { after: before };
  return [[call, step] as const, ...assigning].map(
    ([key, value]): Change => ({ do: 'add', path: ['steps'], key, value, ...place }),
  );
}

const valuesOf = (results: readonly GivenResult[], path: (name: string) => string): JsonObject =>
  Object.fromEntries(results.map(({ name, read }): [string, Json] => [read.name, `\${ ${path(name)} }`]));
