/** Method and address of a request, which share one line: the method is the name of the key. */

import { t } from '../../../shared/web/words/translate.ts';
import { type EditorProps, pathInFlow, useForm, valueAtPath } from './context.ts';
import { ScalarEditor } from './scalar-editor.tsx';

export function MethodEditor({ field, id }: EditorProps) {
  const form = useForm();
  const methods = field.inner ?? [];
  const used = methods.find(({ path }) => valueAtPath(form, path) !== undefined) ?? methods[0]!;
  const method = String(used.path.at(-1));
  const choose = (to: string): void => {
    const path = pathInFlow(form, used.path);
    if (valueAtPath(form, used.path) === undefined) return;
    form.edits.change(() => [{ do: 'key', path, to }], t('change method of {step}', { step: form.step }));
  };
  return (
    <span class="method">
      <select
        aria-label={t('Method')}
        disabled={form.isLocked}
        value={method}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {methods.map(({ path }) => (
          <option key={String(path.at(-1))} value={String(path.at(-1))}>
            {String(path.at(-1)).toUpperCase()}
          </option>
        ))}
      </select>
      <ScalarEditor
        key={method}
        field={{ ...used, label: field.label, editor: 'text', isRequired: true }}
        id={`${id}-address`}
        named={field.label}
        value={valueAtPath(form, used.path)}
      />
    </span>
  );
}
