import { quoting } from '../../base/core/diagnostic.ts';
import { parseDuration } from '../../base/core/duration.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { type Issue, keyIssue, valueIssue } from '../../base/schema/document.ts';
import { calledFlow, isThere, neverReturned } from '../../language/flow/called-flows.ts';
import type { FlowDraft, StepDraft } from '../../language/flow/flow-draft.ts';
import { literalOf } from '../../language/flow/routes.ts';
import { keysAt, saidTexts, wrongKeys } from '../../language/flow/said/said-prompts.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

export const lint: VerbLint = {
  *check(step, args, draft) {
    yield* waitingFlow(step, args, draft);
    yield* callbackFlow(step, args, draft);
    yield* ringingTimes(step, args);
    const texts = saidTexts(step, ['/position', '/music'], draft);
    yield* wrongKeys(step, draft, { texts, keys: keysAt(step, ['/leave_key', '/callback/key']), isEach: true });
  },
};

/**
 * Checks that the waiting flow of a queue exists, is the only one to speak, and returns the outcomes that the step
 * names.
 */
function* waitingFlow({ argsPointer }: StepDraft, args: JsonObject, draft: FlowDraft): Generator<Issue> {
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
  yield* neverReturned(flow, draft, outcomes, `${argsPointer}/outcomes`);
}

/** Checks that the flow of a callback exists, and that the caller has a way to ask for the callback. */
function* callbackFlow({ argsPointer }: StepDraft, args: JsonObject, draft: FlowDraft): Generator<Issue> {
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

function* ringingTimes({ argsPointer }: StepDraft, args: JsonObject): Generator<Issue> {
  const [ringMs, waitMs] = [msOf(args['ring_timeout']), msOf(args['timeout'])];
  if (ringMs === undefined || waitMs === undefined || ringMs < waitMs) return;
  const message = 'an agent’s phone rings for as long as a caller waits at most: no other is tried';
  yield valueIssue(
    'odd-time',
    `${argsPointer}/ring_timeout`,
    message,
    quoting`shorten it, or set a longer ${'timeout'}`,
  );
}

const msOf = (written: Json | undefined): number | undefined =>
  typeof written === 'string' ? parseDuration(written) : undefined;
