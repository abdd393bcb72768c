/** Checks that the prompt of a screen names the key that accepts the call. */
import { isObject } from '../../base/core/json.ts';
import { keysAt, saidTexts, wrongKeys } from '../../language/flow/said/said-prompts.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

export const lint: VerbLint = {
  *check(step, args, draft) {
    if (!isObject(args['screen'])) return;
    const texts = saidTexts(step, ['/screen/prompt'], draft);
    yield* wrongKeys(step, draft, { texts, keys: keysAt(step, ['/screen/accept']) });
  },
};
