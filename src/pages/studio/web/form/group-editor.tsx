/** Fields of a map whose keys are known. */

import { t } from '../../../shared/web/words/translate.ts';
import { type EditorProps, useForm } from './context.ts';
import { openFolds, toggleFold } from './folds.ts';
import { briefly } from './values.ts';

export function GroupEditor({ field, value }: EditorProps) {
  const { step, Field } = useForm();
  const name = field.path.join('.');
  const isOpen = openFolds.value.has(name);
  const said = value === undefined || value === null ? t('Not used') : briefly(value, 'group');
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
