/** Interface of `verbs/NAME/lint.ts`: checks of one verb that its schema cannot express. */
import type { JsonObject } from '../../base/core/json.ts';
import type { Issue } from '../../base/schema/document.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import type { Type } from './types/type.ts';

export interface StepEnd {
  outcomes: readonly string[];
  draft: FlowDraft;
}

export interface VerbLint {
  /** `args`: arguments as written, with defaults of the flow merged in; empty if they are not a map. */
  check(step: StepDraft, args: JsonObject, draft: FlowDraft): Iterable<Issue>;
  /**
   * Changes the fields of the result, as declared by the schema, to those that a step with these arguments has after
   * one of these outcomes.
   */
  resultFields?(fields: Map<string, Type>, args: JsonObject, after: StepEnd): void;
  /** Result after one of these outcomes, if the flow that the step calls decides; undefined if it is not known. */
  resultOf?(step: StepDraft, after: StepEnd): Type | undefined;
}
