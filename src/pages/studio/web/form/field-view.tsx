/** A field of a form: its label, its editor and the sentence below it. */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Json } from '../../../../base/core/json.ts';
import { isObject } from '../../../../base/core/json.ts';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { find, openText, type Path } from '../../../../language/flow/text/flow-source.ts';
import type { Problem } from '../../../../language/flow/text/problems.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { EditingPerson } from '../people/editing-person.tsx';
import { focusedField, lastField } from '../people/people-store.ts';
import { firstSentence } from '../shell/plain-text.ts';
import { CasesEditor } from './cases-editor.tsx';
import { ChoicesEditor } from './choices-editor.tsx';
import { type EditorProps, type FormContext, pathInFlow, useForm, valueAtPath } from './context.ts';
import type { EditorKind, FormField } from './fields.ts';
import { whenReleased } from './focus.ts';
import { GroupEditor } from './group-editor.tsx';
import { problemOf, sentence, typesOf } from './limits.ts';
import { ListEditor } from './list-editor.tsx';
import { MethodEditor } from './method-editor.tsx';
import { RowsEditor } from './rows-editor.tsx';
import { ScalarEditor } from './scalar-editor.tsx';
import { isSchedule, ScheduleEditor } from './schedule-editor.tsx';
import { SelectEditor } from './select-editor.tsx';
import { ToolsEditor } from './tools-editor.tsx';
import { WordsEditor } from './words-editor.tsx';
import { YamlEditor } from './yaml-editor.tsx';

const EDITORS: Readonly<Record<EditorKind, (props: EditorProps) => ComponentChildren>> = {
  words: WordsEditor,
  duration: ScalarEditor,
  number: ScalarEditor,
  switch: SelectEditor,
  'words-of': SelectEditor,
  key: ScalarEditor,
  text: ScalarEditor,
  long: ScalarEditor,
  expression: ScalarEditor,
  choices: ChoicesEditor,
  cases: CasesEditor,
  rows: RowsEditor,
  list: ListEditor,
  step: SelectEditor,
  flow: SelectEditor,
  schedule: ScheduleEditor,
  method: MethodEditor,
  tools: ToolsEditor,
  group: GroupEditor,
  yaml: YamlEditor,
};

/** Editors whose parts have labels of their own. */
const OF_PARTS: readonly EditorKind[] = [
  'cases',
  'choices',
  'rows',
  'list',
  'group',
  'switch',
  'words-of',
  'method',
  'schedule',
  'tools',
  'words',
];

export function FieldView({ field }: { field: FormField }) {
  const form = useForm();
  const isFocused = useSignal(false);
  const value = valueAtPath(form, field.path);
  const editor = editorFor(value, field);
  const Editor = EDITORS[editor];
  const id = idOf(field.path);
  const problem = value === undefined ? missing(form, field) : problemAt(form, field, value);
  const help = helpOf(field);
  const isHelpShown = isFocused.value || (field.isRequired && value === undefined);
  const isPart = OF_PARTS.includes(editor);
  const path = field.path.join('.');
  const setFocused = ({ type, target, currentTarget }: FocusEvent): void => {
    const isIn = type === 'focusin';
    if (isIn) isFocused.value = true;
    else whenReleased(() => (isFocused.value = false));
    // In a group, the innermost field counts.
    if ((target as HTMLElement).closest('[data-field]') !== currentTarget) return;
    focusedField.value = isIn ? { step: form.step, path } : undefined;
    if (isIn) lastField.value = focusedField.value;
  };
  return (
    <div
      class={`form-field is-${editor}${value === undefined ? ' unset' : ''}`}
      data-field={path}
      onFocusIn={setFocused}
      onFocusOut={setFocused}
      {...(isPart && { role: 'group', 'aria-labelledby': `${id}-label` })}
    >
      {isPart ? (
        <span class="form-label" id={`${id}-label`}>
          {field.label}
        </span>
      ) : (
        <label class="form-label" for={id}>
          {field.label}
        </label>
      )}
      <Editor field={field} id={id} value={value} />
      <EditingPerson flow={form.draft.name} step={form.step} field={path} isWords={editor === 'words'} />
      {problem !== undefined && <small class="field-problem">{problem}</small>}
      {isHelpShown && help !== '' && <small class="field-help">{help}</small>}
    </div>
  );
}

const editorFor = (value: Json | undefined, field: FormField): EditorKind => {
  if (!fits(value, field)) return 'yaml';
  return field.editor === 'yaml' && field.inner !== undefined && isObject(value ?? null) ? 'group' : field.editor;
};

export const idOf = (path: Path): string => `field-${path.join('-')}`;

const helpOf = ({ key }: FormField): string => firstSentence(key.description ?? '');

/** True if the editor can show the value. Other values are shown as YAML, so that none is lost. */
function fits(value: Json | undefined, { editor, key }: FormField): boolean {
  if (value === undefined || value === null) return true;
  switch (editor) {
    case 'words':
    case 'yaml':
      return true;
    case 'choices':
    case 'tools':
      return isObject(value) && Object.values(value).every((choice) => isObject(choice));
    case 'cases':
      return Array.isArray(value) && value.every((item) => isObject(item));
    case 'rows':
      return isObject(value);
    case 'group':
      return isObject(value);
    case 'schedule':
      return isSchedule(value);
    case 'list':
      return Array.isArray(value)
        ? value.every((item) => typeof item !== 'object')
        : typeof value !== 'object' && !typesOf(key).has('object');
    default:
      return typeof value !== 'object';
  }
}

const errorsOf = ({ draft, step }: FormContext): readonly Problem[] =>
  draft.problems.value.filter((problem) => problem.step === step && problem.severity === 'error');

/** A value that the check misses. */
function missing(form: FormContext, { path, isRequired }: FormField): string | undefined {
  const isNamed = ({ code, message }: Problem): boolean => code === 'missing-key' && message.includes(`${path.at(-1)}`);
  return isRequired && errorsOf(form).some(isNamed) ? t('This is needed') : undefined;
}

/** Error of the check about a value, in words of the form if the limits of the value tell it. */
function problemAt(form: FormContext, { path, key }: FormField, value: Json): string | undefined {
  const { draft } = form;
  const found = errorsOf(form);
  if (found.length === 0) return undefined;
  const source = openText(draft.text.peek());
  const node = isRefusal(source) ? undefined : find(source, pathInFlow(form, path))?.node;
  if (!node) return undefined;
  const [from, to] = node.range;
  const problem = found.find((each) => each.from >= from && each.to <= Math.max(to, from + 1));
  return problem && (problemOf(value, key) ?? t(sentence(problem.message)));
}
