import type { Fidelity } from '../../../src/language/importers/imported.ts';

/** How many nodes are imported how. */
export type Counts = Record<Exclude<Fidelity, 'none'>, number>;
