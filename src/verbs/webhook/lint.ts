import { deadAir } from '../../language/flow/service-waits.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

export const lint: VerbLint = { check: deadAir };
