/** Checks that an announcement before a conference, a queue or a room names the keys that work there. */
import { isObject } from '../../base/core/json.ts';
import type { FlowDraft, StepDraft } from '../../language/flow/flow-draft.ts';
import { keysAt, saidTexts, wrongKeys } from '../../language/flow/said/said-prompts.ts';
import { promptPlacesOf } from '../../language/flow/verb-facts.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

const KEYS = ['/leave_key', '/end_key', '/pause_key', '/mute_key', '/hand_key', '/callback/key'];

export const lint: VerbLint = {
  *check(step, _args, draft) {
    const next = nextOf(step, draft);
    if (next === undefined || !isObject(next.compiled.args) || next.compiled.args['leave_key'] === undefined) return;
    const texts = saidTexts(step, promptPlacesOf(step.spec.verb), draft);
    yield* wrongKeys(step, draft, { texts, keys: keysAt(next, KEYS).map(({ key }) => ({ key })), isEach: true });
  },
};

/** The step after the announcement. */
function nextOf({ compiled }: StepDraft, { steps }: FlowDraft): StepDraft | undefined {
  const target = compiled.exits['done'];
  return target === undefined ? undefined : steps.get(target);
}
