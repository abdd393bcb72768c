/** Fields of a map whose keys are known. */

import type { Json } from '../../../../base/core/json.ts';
import { valueAt } from '../../../../language/flow/text/flow-source.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { type EditorProps, useForm } from './context.ts';
import type { FormField } from './fields.ts';
import { openFolds, toggleFold } from './folds.ts';
import { briefly } from './values.ts';

/** Values of the group with their labels. */
const saidOf = ({ path, inner = [] }: FormField, value: Json): string =>
  inner
    .flatMap((field) => field.inner ?? field)
    .flatMap(({ label, editor, path: at }) => {
      const part = valueAt(value, at.slice(path.length));
      return part === undefined || part === null ? [] : `${label}: ${briefly(part, editor)}`;
    })
    .join(' · ');

export function GroupEditor({ field, value }: EditorProps) {
  const { step, Field } = useForm();
  const name = field.path.join('.');
  const isOpen = openFolds.value.has(name);
  const said = value === undefined || value === null ? t('Not used') : saidOf(field, value) || briefly(value, 'group');
  return (
    <>
      <button
        type="button"
        class="fold-head inner"
        aria-expanded={isOpen}
        aria-label={`${field.label}: ${said}`}
        onClick={() => toggleFold(name)}
      >
        <span>{said}</span>
      </button>
      {isOpen && (
        <div class="inner-fields">
          {(field.inner ?? []).map((inner) => (
            <Field key={`${step} ${inner.path.join('.')}`} field={inner} />
          ))}
        </div>
      )}
    </>
  );
}
