/**
 * Facts of verbs, read from the keywords of their schemas. `schemas/verb.schema.json` describes the keywords,
 * `verb-outcomes.ts` reads the outcomes, and browsers receive the facts that they need by `GET /admin/v1/language`
 * (`graph-language.ts`).
 */
import { verbSchemas } from '../schema/schema-forms.ts';

/** When the caller may act during a step. */
export type Listens = 'asks' | 'records' | 'converses' | 'detects' | 'talks' | 'sounds' | 'always';

export interface VerbFacts {
  readonly listens?: Listens;
  /** True if arguments other than prompts affect the outcome, or the input of a flow that the step runs. */
  readonly decides?: boolean;
}

const NONE: VerbFacts = {};

/** A verb without a schema has no facts. */
export const factsOf = (verb: string): VerbFacts => (verbSchemas.get(verb) as VerbFacts | undefined) ?? NONE;
