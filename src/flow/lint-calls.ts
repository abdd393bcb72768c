/**
 * Checks of calls to other parties, of concurrent flows and of recordings: a caller who talked and then hears that no
 * agent is available, two voices at once, a card number in a recording.
 */
import { quoting } from '../core/diagnostic.ts';
import { isObject } from '../core/json.ts';
import { childPointer, type Issue, keyIssue, valueIssue } from '../schema/document.ts';
import { didYouMean } from '../schema/suggest.ts';
import { calledInputs } from './called-inputs.ts';
import { END } from './compiled-flow.ts';
import { actionOf, type FlowDraft, type StepDraft } from './flow-draft.ts';
import { summarise } from './flow-summary.ts';
import { calledFlow, isThere, pathBack, wayText } from './lint-steps.ts';
import { literalOf } from './routes.ts';
import { factsOf, type Listens } from './verb-facts.ts';

export function* lintCalls(draft: FlowDraft): Generator<Issue> {
  for (const step of draft.steps.values()) {
    yield* sameAfterTalk(step, draft);
    if (step.spec.verb === 'parallel') yield* parallelBranches(step, draft);
    if (step.spec.verb === 'queue') {
      yield* waitingFlow(step, draft);
      yield* callbackFlow(step, draft);
    }
    if (step.spec.verb === 'continue') yield* handover(step, draft);
  }
  yield* undeclaredInputs(draft);
  yield* keptWhileSensitive(draft);
}

function* undeclaredInputs(draft: FlowDraft): Generator<Issue> {
  for (const { name, pointer, flow, declared } of calledInputs(draft)) {
    if (Object.hasOwn(declared, name)) continue;
    const names = Object.keys(declared);
    const hint = didYouMean(name, names) ?? (names.length > 0 ? `it takes ${names.join(', ')}` : 'it takes none');
    yield keyIssue('unknown-input', pointer, quoting`the flow ${flow} takes no input ${name}`, hint);
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

/** Checks that the flows of the branches exist, and that at most one of them speaks to the caller. */
function* parallelBranches({ argsPointer, compiled }: StepDraft, draft: FlowDraft): Generator<Issue> {
  const { knownFlows } = draft.options;
  const written = isObject(compiled.args) ? compiled.args['branches'] : undefined;
  if (!isObject(written) || knownFlows === undefined) return;
  let heard: string | undefined;
  for (const [name, branch] of Object.entries(written)) {
    const flow = literalOf(branch, 'flow');
    if (flow === undefined) continue;
    const at = childPointer(`${argsPointer}/branches`, name);
    const pointer = isObject(branch) ? `${at}/flow` : at;
    const summary = knownFlows.get(flow);
    yield* calledFlow(flow, draft, pointer);
    if (!summary?.speaks) continue;
    if (heard === undefined) heard = name;
    else {
      const message = quoting`${heard} and ${name} both speak to the caller, at the same time`;
      yield valueIssue('both-heard', pointer, message, 'let one of them speak, and the others work');
    }
  }
}

/**
 * Checks that the waiting flow of a queue exists, is the only one to speak, and returns the outcomes that the step
 * names.
 */
function* waitingFlow({ argsPointer, compiled }: StepDraft, draft: FlowDraft): Generator<Issue> {
  const args = isObject(compiled.args) ? compiled.args : {};
  const { waiting, position, outcomes } = args;
  if (waiting === undefined) return;
  if (position !== undefined) {
    const message = 'the position would be said into the waiting flow';
    const hint = 'let the waiting flow say queue.position';
    yield keyIssue('both-heard', `${argsPointer}/position`, message, hint);
  }
  const flow = literalOf(waiting, 'flow');
  if (flow === undefined) return;
  yield* calledFlow(flow, draft, `${argsPointer}/waiting${isObject(waiting) ? '/flow' : ''}`);
  const returns = draft.options.knownFlows?.get(flow)?.returns;
  if (returns === undefined || !Array.isArray(outcomes)) return;
  for (const [index, outcome] of outcomes.entries()) {
    if (typeof outcome !== 'string' || returns.includes(outcome)) continue;
    const message = quoting`the flow ${flow} never returns ${outcome}`;
    yield valueIssue('never-returned', `${argsPointer}/outcomes/${index}`, message, didYouMean(outcome, returns));
  }
}

/** Checks that the flow of a callback exists, and that the caller has a way to ask for the callback. */
function* callbackFlow({ argsPointer, compiled }: StepDraft, draft: FlowDraft): Generator<Issue> {
  const args = isObject(compiled.args) ? compiled.args : {};
  const { callback, waiting } = args;
  if (!isObject(callback)) return;
  const pointer = `${argsPointer}/callback`;
  if (typeof callback['flow'] === 'string') yield* isThere(callback['flow'], draft, `${pointer}/flow`);
  if (callback['key'] !== undefined) return;
  const flow = literalOf(waiting, 'flow');
  const returns = flow === undefined ? undefined : draft.options.knownFlows?.get(flow)?.returns;
  if (waiting !== undefined && (returns === undefined || returns.includes('callback'))) return;
  const message = flow === undefined ? 'no caller can ask for it' : quoting`the flow ${flow} never returns callback`;
  yield keyIssue('never-returned', pointer, message, 'add a key, or let the waiting flow return callback');
}

/**
 * Checks that the flow of a handover exists, and that flows which hand a call to each other wait for the caller in
 * between.
 */
function* handover({ argsPointer, compiled, spec }: StepDraft, draft: FlowDraft): Generator<Issue> {
  const flow = literalOf(compiled.args, 'flow');
  if (flow === undefined) return;
  const pointer = isObject(compiled.args) ? `${argsPointer}/flow` : argsPointer;
  const { knownFlows } = draft.options;
  yield* isThere(flow, draft, pointer);
  const own = summarise(draft.root).continues ?? [];
  const next = (name: string): string[] =>
    (name === draft.flow.name ? own : (knownFlows?.get(name)?.continues ?? [])).flatMap((each) =>
      each.waits ? [] : [each.flow],
    );
  const isAtOnce = own.some((each) => each.flow === flow && !each.waits);
  const way = isAtOnce ? pathBack(flow, draft.flow.name, next) : undefined;
  if (way === undefined) return;
  const message = `the flows ${spec.verb} with each other, and nothing on the way waits for the caller: ${wayText([draft.flow.name, ...way])}`;
  yield valueIssue('endless-handover', pointer, message, 'let the caller hear or choose something on the way');
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
