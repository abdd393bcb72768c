/** Name of the step, edited in place. All routes to it follow. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { STEP_NAME } from '../../../../language/flow/name-patterns.ts';
import { renameStep } from '../../../../language/flow/text/rename.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { useForm } from './context.ts';

export function StepName({ name }: { name: string }) {
  const { draft, edits, graph, language, isLocked } = useForm();
  const problem = useSignal<string | undefined>(undefined);
  /** The field of the old name goes, and loses the focus, while the name is written. */
  const isRenamed = useRef(false);
  const problemOf = (to: string): string | undefined => {
    if (to === name) return undefined;
    if (graph.steps.some((step) => step.name === to)) return t('There is a step {to} already', { to });
    return STEP_NAME.test(to) ? undefined : t('Letters, digits, _ and -, and no digit first');
  };
  const rename = (to: string): void => {
    if (isRenamed.current || to === name || problemOf(to) !== undefined) return;
    isRenamed.current = true;
    const renamed = renameStep(draft.text.peek(), { from: name, to }, language.verbs);
    problem.value = edits.apply(renamed, t('rename {name} to {to}', { name, to }));
    isRenamed.current = problem.value === undefined;
    if (problem.value !== undefined) return;
    draft.renames.push({ kind: 'step', from: name, to });
    draft.selected.value = to;
  };
  return (
    <h2>
      <input
        type="text"
        aria-label={t('Name of the step')}
        aria-invalid={problem.value !== undefined}
        // A value would replace what is being typed whenever the form is drawn.
        defaultValue={name}
        readOnly={isLocked}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          problem.value = problemOf(currentTarget.value.trim());
        }}
        onBlur={({ currentTarget }) => rename(currentTarget.value.trim())}
        onKeyDown={(event) => {
          const field = event.currentTarget;
          if (event.key === 'Enter') rename(field.value.trim());
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          field.value = name;
          problem.value = undefined;
          field.blur();
        }}
      />
      {problem.value !== undefined && (
        <small class="field-problem" role="alert">
          {problem.value}
        </small>
      )}
    </h2>
  );
}
