/** Access of the fields to the flow, its language and its text. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Json, JsonObject } from '../../../../base/core/json.ts';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { readFlow } from '../../../../language/flow/text/flow-reader.ts';
import { isSource, type Path, valueAt } from '../../../../language/flow/text/flow-source.ts';
import type { Language } from '../../../../language/flow/text/language.ts';
import { argumentAt, placeOf } from '../../../../language/flow/text/set-argument.ts';
import type { FormField } from './fields.ts';
import type { FormDraft } from './form-draft.ts';
import type { FormEdits } from './form-edits.ts';

export interface EditorProps {
  field: FormField;
  /** Id of the control, for its label. */
  id: string;
  value: Json | undefined;
}

export interface FormContext {
  draft: FormDraft;
  language: Language;
  /** Names of the flows of the service. */
  flows: readonly string[];
  edits: FormEdits;
  /** The step that is shown. Empty for the flow itself. */
  step: string;
  isLocked: boolean;
  graph: FlowGraph;
  /** Data of the last valid text. */
  flow: JsonObject;
  /** Draws a field inside of another. */
  Field(props: { field: FormField }): ComponentChildren;
}

const Context = createContext<FormContext | undefined>(undefined);
export const FormProvider = Context.Provider;

export function useForm(): FormContext {
  const form = useContext(Context);
  if (form === undefined) throw new Error('a field is outside of a form');
  return form;
}

/** Value of the step at a path; of the flow, if no step is shown. */
export const valueAtPath = ({ flow, step, language }: FormContext, path: Path): Json | undefined =>
  step === '' ? valueAt(flow, path) : argumentAt(flow, step, path, language);

/** Path in the flow. */
export const pathInFlow = ({ flow, step, language }: FormContext, path: Path): Path =>
  step === '' ? path : ['steps', step, ...placeOf(flow, step, path, language)];

/** Data of a text; of a text with errors, undefined. */
export function flowIn(text: string): JsonObject | undefined {
  const read = readFlow(text);
  return isSource(read) ? read.value : undefined;
}
