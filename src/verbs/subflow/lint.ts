import { calledByStep } from '../../flow/called-flows.ts';
import type { VerbLint } from '../../flow/verb-lint.ts';

export const lint: VerbLint = { check: (step, _, draft) => calledByStep(step, draft) };
