import { calledByStep } from '../../language/flow/called-flows.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

export const lint: VerbLint = { check: (step, _, draft) => calledByStep(step, draft) };
