/** Checks of the arguments of single verbs. */
import { quoting } from '../core/diagnostic.ts';
import { parseDuration } from '../core/duration.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { childPointer, type Issue, keyIssue, valueIssue } from '../schema/document.ts';
import { problemOfPattern } from '../schema/linear-regex.ts';
import { didYouMean } from '../schema/suggest.ts';
import { timeZoneProblem } from '../schema/time-zones.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { inputDefaultsOf } from './flow-shape.ts';
import { lintPayment } from './lint-payments.ts';
import { namesSeenFrom } from './local-flows.ts';
import { literalOf } from './routes.ts';

type Check = (step: StepDraft, args: JsonObject, draft: FlowDraft) => Iterable<Issue>;

export function* lintSteps(draft: FlowDraft): Generator<Issue> {
  for (const step of draft.steps.values()) {
    const { args } = step.compiled;
    const check = CHECKS[step.spec.verb];
    if (check !== undefined) yield* check(step, isObject(args) ? args : { '': args }, draft);
    if (inputDefaultsOf(step.spec.verb).length > 0 && isObject(args)) yield* retryPrompts(step, args);
  }
  yield* timezone(draft.root['defaults'] ?? null, '/defaults');
  for (const [name, schedule] of Object.entries(draft.flow.schedules))
    yield* timezone(schedule, childPointer('/schedules', name));
}

const CHECKS: Readonly<Record<string, Check>> = {
  ...{ collect, menu, branch, schedule, request, subflow, for_each: subflow, todo },
  webhook: deadAir,
  message: deadAir,
  *pay(step, args, draft) {
    yield* deadAir(step, { timeout: PAYMENT_TIMEOUT, ...args });
    yield* lintPayment(step, args, draft);
  },
};

/** 11 of 17 public flows of a large platform lacked one of these prompts. */
function* retryPrompts({ pointer, argsPointer, spec }: StepDraft, args: JsonObject): Generator<Issue> {
  if (args['attempts'] === 1) return;
  for (const [key, code, what] of [
    ['no_input', 'missing-no-input', 'says nothing'],
    ['no_match', 'missing-no-match', 'presses something else'],
  ] as const) {
    if (args[key] !== undefined) continue;
    const hint = `add ${key}: [ … ] to the ${spec.verb} of ${quoting`${pointer.slice('/steps/'.length)}`}, or to defaults.input`;
    yield keyIssue(code, argsPointer, `a caller who ${what} only hears the question again`, hint);
  }
}

function* collect({ argsPointer }: StepDraft, args: JsonObject): Generator<Issue> {
  const digits = args['digits'];
  if (!isObject(digits)) return;
  const pointer = `${argsPointer}/digits`;
  const { min, max, length, pattern } = digits;
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    yield valueIssue('digits-range', `${pointer}/min`, quoting`${'min'} is more than ${'max'}`);
  }
  if (length !== undefined && (min !== undefined || max !== undefined)) {
    const message = quoting`${'length'} is ${'min'} and ${'max'} in one`;
    yield keyIssue('digits-range', `${pointer}/length`, message, 'remove min and max');
  }
  if (typeof pattern === 'string') {
    const problem = problemOfPattern(pattern);
    if (problem !== undefined) yield valueIssue('bad-pattern', `${pointer}/pattern`, problem);
  }
}

function* menu({ argsPointer }: StepDraft, args: JsonObject): Generator<Issue> {
  const keys = new Map<string, string>();
  const phrases = new Map<string, string>();
  for (const [name, choice] of Object.entries(isObject(args['choices']) ? args['choices'] : {})) {
    if (!isObject(choice)) continue;
    const pointer = childPointer(`${argsPointer}/choices`, name);
    const key = choice['dtmf'];
    const other = typeof key === 'string' ? keys.get(key) : undefined;
    if (other !== undefined) {
      yield valueIssue(
        'same-digit',
        `${pointer}/dtmf`,
        quoting`the key ${String(key)} already chooses ${other}`,
        'choose another key',
      );
    }
    if (typeof key === 'string') keys.set(key, name);
    for (const [index, phrase] of (Array.isArray(choice['say']) ? choice['say'] : []).entries()) {
      const at = `${pointer}/say/${index}`;
      const said = String(phrase)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
        .trim();
      const chosen = phrases.get(said);
      const near = chosen === undefined ? overlappingPhrase(said, name, phrases) : undefined;
      if (near !== undefined) {
        const message = `callers who say “${near.phrase}” of ${quoting`${near.name}`} say these words too, or nearly`;
        yield valueIssue('overlapping-phrases', at, message, 'choose words that sound different');
      }
      if (chosen !== undefined) yield valueIssue('same-phrase', at, quoting`these words already choose ${chosen}`);
      phrases.set(said, name);
    }
  }
}

/** Phrase of another choice with the same words in another order, or with one further short word. */
function overlappingPhrase(
  said: string,
  name: string,
  phrases: ReadonlyMap<string, string>,
): { phrase: string; name: string } | undefined {
  for (const [phrase, other] of phrases) {
    if (other !== name && areSimilar(said.split(' '), phrase.split(' '))) return { phrase, name: other };
  }
  return undefined;
}

const LONGEST_FILLER = 3;

function areSimilar(one: readonly string[], two: readonly string[]): boolean {
  const rest = (words: readonly string[], of: readonly string[]) =>
    words.filter((word) => !of.includes(word) && word.length > LONGEST_FILLER);
  return one.some((word) => two.includes(word)) && rest(one, two).length === 0 && rest(two, one).length === 0;
}

function* branch({ argsPointer, compiled }: StepDraft): Generator<Issue> {
  const cases = Array.isArray(compiled.args) ? compiled.args.filter(isObject) : [];
  const last = cases.length - 1;
  const names = new Set<string>();
  for (const [index, written] of cases.entries()) {
    const pointer = `${argsPointer}/${index}`;
    if (written['else'] !== undefined && index < last) {
      yield keyIssue('else-not-last', `${pointer}/else`, quoting`cases after ${'else'} are never looked at`);
    }
    const name = written['name'];
    if (typeof name !== 'string') continue;
    if (names.has(name)) yield valueIssue('same-case', `${pointer}/name`, quoting`there is another case ${name}`);
    names.add(name);
  }
  if (cases[last]?.['else'] === undefined && !cases.some((written) => written['else'] !== undefined)) {
    const hint = 'end the list with { else: a_step }';
    yield keyIssue('branch-without-else', argsPointer, 'no case holds for everything else', hint);
  }
}

function* schedule({ argsPointer, compiled }: StepDraft, _args: JsonObject, draft: FlowDraft): Generator<Issue> {
  const { args } = compiled;
  if (typeof args !== 'string') return yield* timezone(args, argsPointer);
  const own = Object.keys(draft.flow.schedules);
  const { schedules } = draft.options;
  if (own.includes(args) || schedules?.includes(args)) return;
  if (schedules === undefined) {
    // The name may be a schedule of the configuration, unless a schedule of the flow has a similar name.
    const near = didYouMean(args, own);
    const message = quoting`the flow has no schedule ${args}`;
    if (near) yield valueIssue('misspelt-schedule', argsPointer, message, near);
    return;
  }
  const hint = didYouMean(args, [...own, ...schedules]) ?? 'add it under schedules';
  yield valueIssue('unknown-schedule', argsPointer, quoting`there is no schedule ${args}`, hint);
}

function* timezone(written: Json, pointer: string): Generator<Issue> {
  const zone = isObject(written) ? written['timezone'] : undefined;
  const problem = typeof zone === 'string' ? timeZoneProblem(zone) : undefined;
  if (problem) yield valueIssue('unknown-timezone', `${pointer}/timezone`, problem.message, problem.hint);
}

const NOT_IDEMPOTENT = ['post', 'patch'];
/** Callers take a longer silence for a broken line. */
const LONGEST_SILENCE_MS = 1000;
const PAYMENT_TIMEOUT = '20s';
const DEFAULT_TIMEOUT_MS = 5000;

function* request(step: StepDraft, args: JsonObject): Generator<Issue> {
  const method = NOT_IDEMPOTENT.find((name) => args[name] !== undefined);
  if (args['retry'] !== undefined && method !== undefined && args['idempotent'] !== true) {
    const message = `a ${method.toUpperCase()} that is tried again may be done twice`;
    const hint = 'add idempotent: true if that does no harm, or remove retry';
    yield keyIssue('retry-not-idempotent', `${step.argsPointer}/retry`, message, hint);
  }
  if (args['form'] !== undefined) yield* form(step, args);
  if (args['get'] !== undefined && args['body'] !== undefined) {
    const hint = 'write post, or put the values into the URL';
    yield keyIssue('get-with-body', `${step.argsPointer}/body`, 'most services do not look at the body of a GET', hint);
  }
  yield* deadAir(step, args);
}

const WITHOUT_FORM = ['get', 'delete'];

function* form({ argsPointer }: StepDraft, args: JsonObject): Generator<Issue> {
  const pointer = `${argsPointer}/form`;
  if (args['body'] !== undefined) {
    yield keyIssue('two-bodies', pointer, quoting`a request has one of ${'body'} and ${'form'}`, 'remove one of them');
  }
  const method = WITHOUT_FORM.find((name) => args[name] !== undefined);
  if (method === undefined) return;
  const hint = 'send it by post, or write the fields into the URL: ?name=${ … }';
  yield keyIssue('form-without-body', pointer, `a ${method.toUpperCase()} sends no form`, hint);
}

function* deadAir({ argsPointer, spec }: StepDraft, args: JsonObject): Generator<Issue> {
  const timeoutMs = parseDuration(String(args['timeout'] ?? '')) ?? DEFAULT_TIMEOUT_MS;
  if (args['meanwhile'] !== undefined || timeoutMs <= LONGEST_SILENCE_MS) return;
  const message = `the caller may hear nothing for ${timeoutMs / 1000} s`;
  const hint = `add meanwhile: a_prompt to the ${spec.verb}`;
  yield keyIssue('no-meanwhile', argsPointer, message, hint);
}

function* subflow({ argsPointer, compiled }: StepDraft, _args: JsonObject, draft: FlowDraft): Generator<Issue> {
  const name = literalOf(compiled.args, 'flow');
  if (name === undefined) return;
  yield* calledFlow(name, draft, isObject(compiled.args) ? `${argsPointer}/flow` : argsPointer);
}

/** Checks that a called flow exists, and that it does not call its caller. */
export function* calledFlow(called: string, draft: FlowDraft, pointer: string): Generator<Issue> {
  const { flow, options } = draft;
  yield* isThere(called, draft, pointer);
  const way = pathBack(called, flow.name, (name) => options.knownFlows?.get(name)?.calls ?? []);
  if (way === undefined) return;
  yield valueIssue('cyclic-subflow', pointer, `the flows call each other in a circle: ${wayText([flow.name, ...way])}`);
}

export function* isThere(name: string, { flow, options }: FlowDraft, pointer: string): Generator<Issue> {
  const { knownFlows } = options;
  if (knownFlows === undefined || options.believesFlows || knownFlows.has(name) || name === flow.name) return;
  yield valueIssue(
    'unknown-flow',
    pointer,
    quoting`there is no flow ${name}`,
    didYouMean(name, namesSeenFrom(flow.name, knownFlows.keys())),
  );
}

export const wayText = (flows: readonly string[]): string => flows.map((name) => quoting`${name}`).join(' → ');

/** Shortest path of flows from `from` to `to`, both included. */
export function pathBack(from: string, to: string, next: (flow: string) => readonly string[]): string[] | undefined {
  const seen = new Set<string>();
  const queue: string[][] = [[from]];
  for (let way = queue.shift(); way !== undefined; way = queue.shift()) {
    const at = way.at(-1)!;
    if (at === to) return way;
    if (seen.has(at)) continue;
    seen.add(at);
    for (const flow of next(at)) queue.push([...way, flow]);
  }
  return undefined;
}

function* todo({ argsPointer, compiled }: StepDraft, args: JsonObject): Generator<Issue> {
  const what = String(args['what'] ?? compiled.args);
  yield valueIssue('todo', argsPointer, `this step is still to be written: ${what}`, 'write the step, or lead past it');
}
