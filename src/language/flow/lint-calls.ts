/**
 * Checks of calls to other parties, of inputs of flows and of recordings: a caller who talked and then hears that no
 * agent is available, an input that a flow does not declare, a card number in a recording.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject } from '../../base/core/json.ts';
import { type Issue, keyIssue, valueIssue } from '../../base/schema/document.ts';
import { didYouMean } from '../../base/schema/suggest.ts';
import { calledFlows, calledInputs } from './called-inputs.ts';
import { END } from './compiled-flow.ts';
import { actionOf, type FlowDraft, type StepDraft } from './flow-draft.ts';
import { factsOf, type Listens } from './verb-facts.ts';

export function* lintCalls(draft: FlowDraft): Generator<Issue> {
  for (const step of draft.steps.values()) yield* sameAfterTalk(step, draft);
  yield* undeclaredInputs(draft);
  yield* missingInputs(draft);
  yield* keptWhileSensitive(draft);
  yield* neverResumed(draft);
}

function* undeclaredInputs(draft: FlowDraft): Generator<Issue> {
  for (const { name, pointer, flow, declared } of calledInputs(draft)) {
    if (Object.hasOwn(declared, name)) continue;
    const names = Object.keys(declared);
    const hint = didYouMean(name, names) ?? (names.length > 0 ? `it takes ${names.join(', ')}` : 'it takes none');
    yield keyIssue('unknown-input', pointer, quoting`the flow ${flow} takes no input ${name}`, hint);
  }
}

function* missingInputs(draft: FlowDraft): Generator<Issue> {
  for (const { flow, summary, pointer, input } of calledFlows(draft)) {
    const missing = (summary.needs ?? []).filter((name) => input !== undefined && !Object.hasOwn(input, name));
    if (missing.length === 0) continue;
    const message = `the flow ${quoting`${flow}`} needs the input ${quoting`${missing}`}`;
    const hint = `add input: { ${missing.map((name) => `${name}: …`).join(', ')} }, or give it a default there`;
    yield valueIssue('missing-input', pointer, message, hint);
  }
}

const SPEAKING: readonly (Listens | undefined)[] = ['asks', 'records', 'sounds'];

/** True for a step that speaks to the caller, as after a failed connection. */
const isSpeaking = ({ spec }: StepDraft): boolean =>
  spec.media === true && SPEAKING.includes(factsOf(spec.verb).listens);

function* sameAfterTalk({ spec, compiled, pointer }: StepDraft, { steps }: FlowDraft): Generator<Issue> {
  const [talked] = Object.entries(spec.outcomeTable).find(([, outcome]) => outcome.talked) ?? [];
  const target = talked === undefined ? undefined : compiled.exits[talked];
  if (talked === undefined || target === undefined || target === END) return;
  const next = steps.get(target);
  if (next === undefined || !isSpeaking(next)) return;
  const failure = Object.entries(compiled.exits).find(
    ([outcome, exit]) => exit === target && /^(failed|timeout|full)\b/.test(outcome),
  );
  if (failure === undefined) return;
  const message = quoting`callers who talked go to ${target}, as those do who reached nobody (${failure[0]})`;
  yield keyIssue('same-after-talk', pointer, message, `route ${talked} to another step`);
}

/** Verbs that record the call, with the noun for the result of each. */
const KEPT_NOUNS: Readonly<Record<string, string>> = {
  recording: 'recording',
  stream: 'stream',
  transcribe: 'transcript',
};
const KEEPING_VERBS = Object.keys(KEPT_NOUNS);
const START_ACTIONS = ['start', 'resume'];
const STOP_ACTIONS = ['stop', 'pause'];

/** Reports a recording, stream or transcript that is still active in a step with sensitive input. */
function* keptWhileSensitive({ steps }: FlowDraft): Generator<Issue> {
  for (const [name, step] of steps) {
    const { verb } = step.spec;
    const isOver = isObject(step.compiled.args) && step.compiled.args['wait'] === true;
    if (isOver || !KEEPING_VERBS.includes(verb) || !START_ACTIONS.includes(actionOf(step))) continue;
    const exposed = firstSensitive(steps, name, verb);
    if (exposed === undefined) continue;
    const ending = verb === 'recording' ? 'pause' : 'stop';
    const message = `the ${KEPT_NOUNS[verb]} goes on while ${quoting`${exposed}`} takes what is sensitive`;
    const hint = `${ending} it before ${exposed}: { ${verb}: ${ending} }`;
    yield keyIssue('sensitive-kept', step.pointer, message, hint);
  }
}

/** First step reachable from `from` that takes sensitive input while `verb` is active. */
function firstSensitive(steps: ReadonlyMap<string, StepDraft>, from: string, verb: string): string | undefined {
  const seen = new Set([from]);
  const queue = targetsFrom(steps.get(from)!);
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const step = steps.get(name);
    if (step === undefined || seen.has(name)) continue;
    seen.add(name);
    if (step.spec.verb === verb && STOP_ACTIONS.includes(actionOf(step))) continue;
    if (step.compiled.sensitive && step.spec.media) return name;
    queue.push(...targetsFrom(step));
  }
  return undefined;
}

/** A failed start records nothing. */
const targetsFrom = ({ compiled, spec }: StepDraft): string[] =>
  Object.entries(compiled.exits).flatMap(([outcome, target]) =>
    KEEPING_VERBS.includes(spec.verb) && outcome === 'failed' ? [] : [target],
  );

/** Reports a recording that is paused, and not resumed although other steps of the call follow. */
function* neverResumed({ steps }: FlowDraft): Generator<Issue> {
  const isRecording = (step: StepDraft): boolean => step.spec.verb === 'recording';
  for (const [name, step] of steps) {
    if (!isRecording(step) || actionOf(step) !== 'pause') continue;
    const following = stepsAfter(steps, name);
    const isContinued = following.some((each) => isRecording(each) && actionOf(each) !== 'pause');
    const talks = following.find((each) =>
      ['converses', 'records', 'talks'].includes(factsOf(each.spec.verb).listens ?? ''),
    );
    if (isContinued || talks === undefined) continue;
    const message = quoting`the recording is paused and never resumed, and ${talks.compiled.name} is not recorded`;
    yield valueIssue('never-resumed', step.argsPointer, message, 'resume it afterwards: { recording: resume }');
  }
}

function stepsAfter(steps: ReadonlyMap<string, StepDraft>, from: string): StepDraft[] {
  const seen = new Map<string, StepDraft>();
  const queue = targetsFrom(steps.get(from)!);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const step = steps.get(name);
    if (step === undefined || seen.has(name)) continue;
    seen.set(name, step);
    queue.push(...targetsFrom(step));
  }
  return [...seen.values()];
}
