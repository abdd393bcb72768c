/**
 * Text of a local flow that is extracted: the moved steps with their characters and comments, the declarations and
 * defaults that apply to them, and the steps that return. `extract-flow.ts` puts it in the file.
 */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import { END } from '../outcome.ts';
import type { Change } from './change.ts';
import { applyEdits, type EditRefusal, isRefusal } from './edits.ts';
import type { ExtractPlan } from './extract-plan.ts';
import { type FlowSource, find, lineStart, openText, type Path, startOf, valueAt } from './flow-source.ts';
import type { Language } from './language.ts';
import { withRemarksAbove, writtenPair } from './map-text.ts';
import { keysAt, nameInExpression, targetsOfStep } from './references.ts';
import { rewriteSource } from './rewrite.ts';
import { redirectedReads, type ScopeRead } from './scope-reads.ts';
import type { FlowValues } from './step-values.ts';
import { mannerOf, writeBlockPair, writePair, type YamlStyle } from './write-yaml.ts';
import { isMap } from './yaml/nodes.ts';

/** The lines are moved right by six columns in the file. */
const MAX_LINE = 110;

/** An extraction with the names of all new steps. */
export interface NamedExtraction {
  name: string;
  /** Name of the step that runs the local flow. */
  call: string;
  plan: ExtractPlan;
  /** Steps that begin the local flow, because they give variables the values of inputs. */
  begins: readonly string[];
  /** Steps of the local flow that return, by the former target; a way on without one leads to `$end`. */
  returns: Readonly<Record<string, string>>;
  /** Steps of the flow that assign what only one way on gives, by the target of the way. */
  keeps: Readonly<Record<string, string>>;
}

export const isSameRead = (one: ScopeRead, other: ScopeRead): boolean =>
  one.scope === other.scope && one.name === other.name && one.field === other.field;

export const pathOf = (names: readonly string[]): string => names.map(nameInExpression).join('.');

export const namesOf = ({ scope, name = '', field }: ScopeRead): string[] => [
  scope,
  name,
  ...(field === undefined ? [] : [field]),
];

/** Text of the local flow, without indentation. */
export function localText(source: FlowSource, inside: FlowSource, values: FlowValues, named: NamedExtraction): string {
  const { value: flow } = source;
  const { plan } = named;
  const manner = { ...mannerOf(''), padding: mannerOf(source.text).padding };
  const begins = beginningSteps(named);
  // The `output` of the whole flow would also be that of a call that ends here.
  const returned = ({ outcome, gives }: ExtractPlan['ways'][number]): Json => {
    const results = plan.results.filter(({ name }) => gives.includes(name));
    if (results.length === 0) return outcome;
    return {
      outcome,
      output: Object.fromEntries(results.map(({ name, read }) => [name, `\${ ${pathOf(namesOf(read))} }`])),
    };
  };
  const lines: string[] = [];
  const section = (key: string, inner: readonly string[]): void => {
    if (inner.length > 0)
      lines.push(
        `${key}:`,
        ...inner.flatMap((each) => each.split('\n')).map((line) => (line === '' ? '' : `  ${line}`)),
      );
  };
  section(
    'input',
    plan.inputs.map(({ name, read, schema, isSensitive }) => {
      const copied = read.scope === 'steps' ? undefined : declarationText(source, [read.scope, read.name], name);
      return copied ?? writePair(name, { ...schema, ...(isSensitive && { sensitive: true }) }, manner);
    }),
  );
  section(
    'vars',
    plan.variables.flatMap((name) => declarationText(source, ['vars', name], name) ?? []),
  );
  for (const key of ['limits', 'api']) if (flow[key] !== undefined) lines.push(writePair(key, flow[key], manner));
  section('defaults', defaultLines(inside, values, named, manner));
  lines.push(`start: ${begins[0]?.[0] ?? plan.entry}`);
  const steps = [
    ...begins.map(([name, step]) => pairIn(name, step, manner)),
    ...plan.steps.flatMap((step, index) => {
      const written = pairText(inside, ['steps', step]);
      const isApart = index > 0 && written !== undefined && isAfterEmptyLine(inside, step);
      return written === undefined ? [] : [isApart ? `\n${written}` : written];
    }),
    ...plan.ways.flatMap((way) => {
      const step = named.returns[way.target];
      return step === undefined ? [] : [pairIn(step, { return: returned(way) }, manner)];
    }),
  ];
  section('steps', steps);
  return `${lines.join('\n')}\n`;
}

/** The flow in which the moved steps, and the defaults that apply to them, read the inputs. */
export function insideText(
  source: FlowSource,
  { plan: { steps, inputs, ways }, returns }: NamedExtraction,
  { verbs }: Language,
): FlowSource | EditRefusal {
  const redirect = (read: ScopeRead): string[] | undefined => {
    const found = inputs.find((input) => !input.isKept && isSameRead(input.read, read));
    const isSame = found?.read.scope === 'input' && found.name === read.name;
    return found === undefined || isSame ? undefined : ['input', found.name];
  };
  const { value: flow } = source;
  const changes = [
    ...steps.flatMap((step) => redirectedReads(valueAt(flow, ['steps', step]), ['steps', step], redirect)),
    ...steps.flatMap((step) =>
      targetsOfStep(flow, step, verbs).flatMap(({ path, name }): Change[] => {
        const way = ways.find(({ target }) => target === name);
        const value = way && (returns[way.target] ?? END);
        return value === undefined || value === name ? [] : [{ do: 'set', path, value }];
      }),
    ),
    ...redirectedReads(valueAt(flow, ['defaults', 'input']), ['defaults', 'input'], redirect),
  ];
  const edits = rewriteSource(source, changes);
  return isRefusal(edits) ? edits : (openText(applyEdits(source.text, edits)) as FlowSource);
}

/** Inputs that variables begin with, and base names of the steps that assign them. */
export function beginningsOf(inputs: ExtractPlan['inputs']): { base: string; inputs: ExtractPlan['inputs'] }[] {
  const kept = inputs.filter(({ isKept }) => isKept);
  const sure = kept.filter(({ mayBeMissing }) => !mayBeMissing);
  const unsure = kept.filter(({ mayBeMissing }) => mayBeMissing);
  return [
    ...(sure.length > 0 ? [{ base: 'begin', inputs: sure }] : []),
    ...unsure.map((input) => ({ base: `begin_${input.read.name}`, inputs: [input] })),
  ];
}

function beginningSteps({ begins, plan }: NamedExtraction): [name: string, step: JsonObject][] {
  return beginningsOf(plan.inputs).map(({ inputs }, index) => {
    const set = Object.fromEntries(
      inputs.map(({ name, read }): [string, Json] => [read.name, `\${ ${pathOf(['input', name])} }`]),
    );
    // A missing value would become null.
    const [unsure] = inputs.filter(({ mayBeMissing }) => mayBeMissing);
    const when: JsonObject = unsure === undefined ? {} : { when: `$exists(${pathOf(['input', unsure.name])})` };
    return [begins[index]!, { set, ...when, next: begins[index + 1] ?? plan.entry }];
  });
}

/** Lines of the defaults that apply to the moved steps: those of the file, and the exits that they use. */
function defaultLines(
  source: FlowSource,
  values: FlowValues,
  { plan: { steps, ways }, returns }: NamedExtraction,
  manner: YamlStyle,
): string[] {
  const { value: flow } = source;
  const lines: string[] = [];
  for (const key of keysAt(flow, ['defaults'])) {
    const value = valueAt(flow, ['defaults', key])!;
    if (key === 'exits') continue;
    // A template of the language passes from the calling step.
    if (key !== 'input' && JSON.stringify(value).includes('${')) continue;
    lines.push(pairText(source, ['defaults', key]) ?? writePair(key, value, manner));
  }
  const used = new Set(
    steps.flatMap((step) =>
      values.steps
        .get(step)!
        .ways.flatMap(({ own, outcome }) => (own || outcome === 'hangup' ? [] : [defaultFor(outcome, values)])),
    ),
  );
  const inside = (target: string): string =>
    ways.some((way) => way.target === target) ? (returns[target] ?? END) : target;
  const exits = Object.fromEntries(
    Object.entries(values.graph.defaults).flatMap(([outcome, target]) =>
      used.has(outcome) ? [[outcome, inside(target)]] : [],
    ),
  );
  if (Object.keys(exits).length > 0) lines.push(writePair('exits', exits, manner));
  return lines;
}

/** Key of the default exit that routes an outcome. */
function defaultFor(outcome: string, { graph }: FlowValues): string | undefined {
  for (let key = outcome; key !== ''; key = key.slice(0, Math.max(0, key.lastIndexOf('.')))) {
    if (Object.hasOwn(graph.defaults, key)) return key;
  }
  return undefined;
}

/** Text of a declaration under another name. */
function declarationText(source: FlowSource, path: Path, name: string): string | undefined {
  const written = pairText(source, path);
  const key = String(path.at(-1));
  if (written === undefined || name === key) return written;
  const value = valueAt(source.value, path);
  return isObject(value) ? writePair(name, value, mannerOf('')) : undefined;
}

/** Text of a pair in one line, or over several if it is long. */
function pairIn(key: string, value: Json, manner: YamlStyle): string {
  const line = writePair(key, value, manner);
  return line.length <= MAX_LINE ? line : writeBlockPair(key, value, '', manner);
}

/** True if an empty line separates the step, with its comments, from what is above. */
function isAfterEmptyLine(source: FlowSource, step: string): boolean {
  const start = startOf(find(source, ['steps', step])!.pair!.key);
  const line = lineStart(source.text, start);
  return /\n[ \t]*\r?\n$/.test(source.text.slice(0, withRemarksAbove(source.text, line, start - line)));
}

/** Text of a pair and of the comments above it, without the indentation of its key. */
export function pairText(source: FlowSource, path: Path): string | undefined {
  const found = find(source, path);
  if (!found?.pair || !isMap(found.parent)) return undefined;
  const { text } = source;
  const pair = writtenPair(source, found.pair, found.parent.flow);
  if (found.parent.flow) return pair;
  const start = startOf(found.pair.key);
  const line = lineStart(text, start);
  const above = text.slice(withRemarksAbove(text, line, start - line), line);
  const remarks = above
    .split(/\r?\n/)
    .slice(0, -1)
    .map((each) => each.trimStart());
  return [...remarks, pair].join('\n');
}
