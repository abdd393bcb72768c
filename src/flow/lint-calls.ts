/**
 * What goes wrong when others are called, when flows run beside each other, and when a call is kept: a caller who
 * talked hears that nobody is there, two voices at once, a card number on a recording.
 */
import { quoting } from '../core/diagnostic.ts';
import { isObject, type Json } from '../core/json.ts';
import { childPointer, type Issue, keyIssue, valueIssue } from '../schema/document.ts';
import { didYouMean } from '../schema/suggest.ts';
import { END } from './compiled-flow.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { subflowCycle } from './lint-steps.ts';
import { literalOf } from './routes.ts';

export function* lintCalls(draft: FlowDraft): Generator<Issue> {
  for (const step of draft.steps.values()) {
    yield* sameAfterTalk(step, draft);
    if (step.spec.verb === 'parallel') yield* parallelBranches(step, draft);
  }
  yield* keptWhileSensitive(draft);
}

/** The step that reaches somebody, and the outcome of those who did. */
const TALK_OUTCOMES: Readonly<Record<string, string>> = {
  bridge: 'completed',
  transfer: 'transferred',
  queue: 'dequeued',
};
/** Verbs that speak to the caller as if nobody had. */
const SPEAKING_TO_CALLER = ['play', 'record', 'collect', 'menu'];

function* sameAfterTalk({ spec, compiled, pointer }: StepDraft, { steps }: FlowDraft): Generator<Issue> {
  const talked = TALK_OUTCOMES[spec.verb];
  const target = talked === undefined ? undefined : compiled.exits[talked];
  if (talked === undefined || target === undefined || target === END) return;
  if (!SPEAKING_TO_CALLER.includes(steps.get(target)?.spec.verb ?? '')) return;
  const failure = Object.entries(compiled.exits).find(
    ([outcome, exit]) => exit === target && /^(failed|timeout|full)\b/.test(outcome),
  );
  if (failure === undefined) return;
  const message = quoting`callers who talked go to ${target}, as those do who reached nobody (${failure[0]})`;
  yield keyIssue('same-after-talk', pointer, message, `route ${talked} to another step`);
}

/** Flows that run beside each other are there, and one of them at most has the caller's ear. */
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
    if (summary === undefined && flow !== draft.flow.name) {
      const hint = didYouMean(flow, knownFlows.keys());
      yield valueIssue('unknown-flow', pointer, quoting`there is no flow ${flow}`, hint);
    }
    yield* subflowCycle(flow, draft.flow.name, knownFlows, pointer);
    if (!summary?.speaks) continue;
    if (heard === undefined) heard = name;
    else {
      const message = quoting`${heard} and ${name} both speak to the caller, at the same time`;
      yield valueIssue('both-heard', pointer, message, 'let one of them speak, and the others work');
    }
  }
}

/** Verbs that keep what is said and what they make of it, their actions that begin it, and those that end it. */
const KEPT_NOUNS: Readonly<Record<string, string>> = {
  recording: 'recording',
  stream: 'stream',
  transcribe: 'transcript',
};
const KEEPING_VERBS = Object.keys(KEPT_NOUNS);
const START_ACTIONS = ['start', 'resume'];
const STOP_ACTIONS = ['stop', 'pause'];

/** What is kept of a call from a step on, where it comes by a step that takes what is sensitive. */
function* keptWhileSensitive({ steps }: FlowDraft): Generator<Issue> {
  for (const [name, step] of steps) {
    const { verb } = step.spec;
    if (!KEEPING_VERBS.includes(verb) || !START_ACTIONS.includes(actionOf(step.compiled.args))) continue;
    const exposed = firstSensitive(steps, name, verb);
    if (exposed === undefined) continue;
    const ending = verb === 'recording' ? 'pause' : 'stop';
    const message = `the ${KEPT_NOUNS[verb]} goes on while ${quoting`${exposed}`} takes what is sensitive`;
    const hint = `${ending} it before ${exposed}: { ${verb}: ${ending} }`;
    yield keyIssue('sensitive-kept', step.pointer, message, hint);
  }
}

const actionOf = (args: Json): string => {
  const action = isObject(args) ? args['action'] : args;
  return typeof action === 'string' ? action : '';
};

/** The first step on some way from `from` that takes what is sensitive while `verb` keeps the call. */
function firstSensitive(steps: ReadonlyMap<string, StepDraft>, from: string, verb: string): string | undefined {
  const seen = new Set([from]);
  const queue = targetsFrom(steps.get(from)!);
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const step = steps.get(name);
    if (step === undefined || seen.has(name)) continue;
    seen.add(name);
    if (step.spec.verb === verb && STOP_ACTIONS.includes(actionOf(step.compiled.args))) continue;
    if (step.compiled.sensitive && step.spec.media) return name;
    queue.push(...targetsFrom(step));
  }
  return undefined;
}

/** A start that failed keeps nothing. */
const targetsFrom = ({ compiled, spec }: StepDraft): string[] =>
  Object.entries(compiled.exits).flatMap(([outcome, target]) =>
    KEEPING_VERBS.includes(spec.verb) && outcome === 'failed' ? [] : [target],
  );
