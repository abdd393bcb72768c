/** Request for a new step, and the step that a person has chosen. */
import type { ExitRef } from '../text/edit.ts';
import type { StepTemplate } from '../text/step-template.ts';
import type { Box } from './anchor.ts';

/** Place of a new step. */
export interface AddRequest {
  /** Undefined: the first step of a flow without steps. */
  at?: ExitRef | undefined;
  /** Box of the pressed element. Default: the exit. */
  anchor?: Box | undefined;
  /** Step `todo` that is turned into another step, instead of a new one. */
  turns?: string;
}

export interface ChosenStep {
  verb: string;
  answers: readonly string[];
  /** Words that the step says. */
  says?: string;
  /** Several steps to insert, of which `verb` is that of the first. */
  template?: StepTemplate;
  /** Steps to delete, because the new one ends the call before them. */
  dropped?: readonly string[];
  /** Task of a step `todo` that keeps the place of the step. */
  later?: string;
  /** True to continue with a step after this one. */
  isOn: boolean;
}
