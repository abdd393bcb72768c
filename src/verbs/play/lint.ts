/**
 * Checks that an announcement names the keys that work there: before a conference, a queue or a room, and while a caller
 * waits in a queue.
 */
import { isObject } from '../../base/core/json.ts';
import type { Issue } from '../../base/schema/document.ts';
import type { FlowDraft, StepDraft } from '../../language/flow/flow-draft.ts';
import { keysAt, saidTexts, wrongKeys } from '../../language/flow/said/said-prompts.ts';
import { factsOf, promptPlacesOf } from '../../language/flow/verb-facts.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

const KEYS = ['/leave_key', '/end_key', '/pause_key', '/mute_key', '/hand_key', '/callback/key'];

export const lint: VerbLint = {
  *check(step, _args, draft) {
    yield* beforeMeeting(step, draft);
    yield* whileWaiting(step, draft);
  },
};

function* beforeMeeting(step: StepDraft, draft: FlowDraft): Generator<Issue> {
  const next = nextOf(step, draft);
  if (next === undefined || !isObject(next.compiled.args) || next.compiled.args['leave_key'] === undefined) return;
  const texts = saidTexts(step, promptPlacesOf(step.spec.verb), draft);
  yield* wrongKeys(step, draft, { texts, keys: keysAt(next, KEYS).map(({ key }) => ({ key })), isEach: true });
}

/** Questions of the waiting flow receive keys before the queue does: a flow with one is not judged. */
function* whileWaiting(step: StepDraft, draft: FlowDraft): Generator<Issue> {
  const { flow, steps, options } = draft;
  const queues = [...(options.knownFlows ?? [])].flatMap(([, { waitingKeys = {} }]) =>
    Object.hasOwn(waitingKeys, flow.name) ? [waitingKeys[flow.name]!] : [],
  );
  const keys = [...new Set(queues.flat())];
  const asks = [...steps.values()].some(({ spec }) => factsOf(spec.verb).listens === 'asks');
  if (queues.length === 0 || keys.includes('') || asks) return;
  const texts = saidTexts(step, promptPlacesOf(step.spec.verb), draft);
  const noKeys = 'the queue of this waiting flow has no leave_key';
  yield* wrongKeys(step, draft, { texts, keys: keys.map((key) => ({ key })), isEach: true, noKeys });
}

/** The step after the announcement. */
function nextOf({ compiled }: StepDraft, { steps }: FlowDraft): StepDraft | undefined {
  const target = compiled.exits['done'];
  return target === undefined ? undefined : steps.get(target);
}
