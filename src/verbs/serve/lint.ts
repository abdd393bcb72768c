/** Checks that the prompts of an agent name the keys that pause, leave and end a conversation. */
import { keysAt, saidTexts, wrongKeys } from '../../language/flow/said/said-prompts.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

const KEYS = ['/pause_key', '/leave_key', '/end_key'];

export const lint: VerbLint = {
  *check(step, _args, draft) {
    const texts = saidTexts(step, ['/ready', '/paused'], draft);
    yield* wrongKeys(step, draft, { texts, keys: keysAt(step, KEYS), isEach: true });
  },
};
