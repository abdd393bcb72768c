import { deadAir } from '../../flow/service-waits.ts';
import type { VerbLint } from '../../flow/verb-lint.ts';

export const lint: VerbLint = { check: deadAir };
