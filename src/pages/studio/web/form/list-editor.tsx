/** A list of texts, one field for each. A single text may be written without a list. */
import type { Json } from '../../../../base/core/json.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import { inSentence, t } from '../../../shared/web/words/translate.ts';
import { type EditorProps, flowIn, useForm, valueAtPath } from './context.ts';
import type { FormField } from './fields.ts';
import { focusAfterRemoval } from './focus.ts';
import { problemOf, saysOf, typesOf } from './limits.ts';
import { Proposed, storedText } from './proposed.tsx';
import { Typing } from './typing.tsx';
import { readTyped, shownValue } from './values.ts';

export function ListEditor({ field, value }: EditorProps) {
  const form = useForm();
  const { path, label } = field;
  const isList = Array.isArray(value);
  const items = isList ? value : value === undefined || value === null ? [] : [value];
  const pathOf = (index: number): Path => (isList ? [...path, index] : path);
  const set = (at: Path, to: Json | undefined, title: string, typing?: string): string | undefined =>
    form.edits.set({ step: form.step, path: at, value: to, title, ...(typing !== undefined && { field: typing }) });
  const remove = (index: number): void => {
    if (field.isRequired && items.length === 1) return;
    set(pathOf(index), undefined, t('remove one of {label} of {step}', { label: inSentence(label), step: form.step }));
  };
  const add = (text: string): string | undefined => {
    const stored = storedText(form.language, path, text);
    if (stored === undefined) return saysOf(field.key);
    const problem = problemOf(stored, itemOf(field));
    if (problem !== undefined) return problem;
    const isSingle = items.length === 0 && typesOf(field.key).has('string');
    const title = t('add to {label} of {step}', { label: inSentence(label), step: form.step });
    return set(path, isSingle ? stored : [...items, stored], title);
  };
  return (
    <span class="list-rows">
      {items.map((item, index) => {
        const at = pathOf(index);
        return (
          <span class="list-row" key={at.join('.')}>
            <ItemField field={field} path={at} item={item} label={`${label} ${index + 1}`} />
            <button
              type="button"
              class="button quiet"
              aria-label={t('Remove {label} {number}', { label: inSentence(label), number: index + 1 })}
              disabled={form.isLocked || (field.isRequired && items.length === 1)}
              onClick={({ currentTarget }) => {
                focusAfterRemoval(currentTarget);
                remove(index);
              }}
            >
              ×
            </button>
          </span>
        );
      })}
      {!form.isLocked && <Proposed path={path}>{(list) => <AddField label={label} list={list} add={add} />}</Proposed>}
    </span>
  );
}

const itemOf = ({ key }: FormField) => (key.items === undefined ? { type: 'string' } : { ...key.items, static: false });

interface ItemProps {
  field: FormField;
  path: Path;
  item: Json;
  label: string;
}

function ItemField({ field, path, item, label }: ItemProps) {
  const form = useForm();
  const now = (): string => {
    const flow = flowIn(form.draft.text.peek());
    return flow === undefined ? '' : shownValue(valueAtPath({ ...form, flow }, path), 'text');
  };
  const accept = (text: string): string | undefined => {
    const stored = storedText(form.language, path, text);
    if (stored === undefined) return saysOf(field.key);
    const read = readTyped(stored, { type: 'string', ...itemOf(field) }, 'text');
    if (read.problem !== undefined) return read.problem;
    if (read.value === undefined) return t('This is needed, or remove it');
    const title = t('change {label} of {step}', { label: inSentence(field.label), step: form.step });
    return form.edits.set({ step: form.step, path, value: read.value, title, field: path.join('.') });
  };
  return (
    <Proposed path={path}>
      {(list) => (
        <Typing
          {...(list !== undefined && { list })}
          label={label}
          shown={shownValue(item, 'text')}
          now={now}
          accept={accept}
          isLocked={form.isLocked}
          tellsStored
        />
      )}
    </Proposed>
  );
}

interface AddProps {
  label: string;
  placeholder?: string;
  /** Id of a list of proposals. */
  list?: string | undefined;
  add(text: string): string | undefined;
}

/** Empty field whose text is added by Enter, or on leaving. */
export function AddField({ label, placeholder = t('Add'), list, add }: AddProps) {
  const submit = (input: HTMLInputElement): void => {
    const text = input.value.trim();
    if (text === '') return;
    const problem = add(text);
    input.setCustomValidity(problem ?? '');
    if (problem === undefined) input.value = '';
    else input.reportValidity();
  };
  return (
    <input
      class="add-field"
      type="text"
      aria-label={t('Add to {label}', { label: inSentence(label) })}
      placeholder={`+ ${placeholder}`}
      list={list}
      autocomplete="off"
      onInput={({ currentTarget }) => currentTarget.setCustomValidity('')}
      onBlur={({ currentTarget }) => submit(currentTarget)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          event.preventDefault();
          submit(event.currentTarget);
        } else if (event.key === 'Escape') {
          event.stopPropagation();
          event.currentTarget.value = '';
          event.currentTarget.blur();
        }
      }}
    />
  );
}
