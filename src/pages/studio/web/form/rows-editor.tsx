/** Names with their values: variables, inputs, headers, bodies. */
import type { Json } from '../../../../base/core/json.ts';
import { isObject } from '../../../../base/core/json.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import { inSentence, t } from '../../../shared/web/words/translate.ts';
import { type EditorProps, flowIn, pathInFlow, useForm, valueAtPath } from './context.ts';
import type { FormField } from './fields.ts';
import { focusAfterRemoval } from './focus.ts';
import { AddField } from './list-editor.tsx';
import { Typing } from './typing.tsx';
import { problemOf, readRow, rowText } from './values.ts';

export function RowsEditor({ field, value }: EditorProps) {
  const form = useForm();
  const { path, label } = field;
  const rows = isObject(value ?? null) ? Object.entries(value as Record<string, Json>) : [];
  const add = (text: string): string | undefined => {
    const [, name, written] = /^([^=:\s]+)\s*(?:[=:]\s*(.*))?$/s.exec(text) ?? [];
    if (name === undefined) return t('A name, then = and its value');
    if (rows.some(([known]) => known === name)) return t('There is {name} already', { name });
    const title = t('add {name} to {label} of {step}', { name, label: inSentence(label), step: form.step });
    return form.edits.set({ step: form.step, path: [...path, name], value: firstValue(field, written), title });
  };
  const remove = (name: string): void => {
    const title = t('remove {name} from {label} of {step}', { name, label: inSentence(label), step: form.step });
    form.edits.set({ step: form.step, path: [...path, name], value: undefined, title });
  };
  return (
    <span class="list-rows">
      {rows.map(([name, item]) => (
        <span class="pair-row" key={name}>
          <NameField field={field} name={name} item={item} others={rows.map(([known]) => known)} />
          <span aria-hidden="true">=</span>
          <RowField field={field} path={[...path, name]} item={item} label={t('Value of {name}', { name })} />
          <button
            type="button"
            class="button quiet"
            aria-label={t('Remove {name}', { name })}
            disabled={form.isLocked || (field.isRequired && rows.length === 1)}
            onClick={({ currentTarget }) => {
              focusAfterRemoval(currentTarget);
              remove(name);
            }}
          >
            ×
          </button>
        </span>
      ))}
      {!form.isLocked && (
        <AddField label={t('{label}: name = value', { label })} placeholder={t('Name = value')} add={add} />
      )}
    </span>
  );
}

/** Value of a new row. */
function firstValue({ key }: FormField, written: string | undefined): Json {
  if (written !== undefined && written.trim() !== '') return readRow(written);
  return [key.values?.type ?? []].flat().includes('number') ? 1 : '';
}

interface RowProps {
  field: FormField;
  path: Path;
  item: Json;
  label: string;
}

function RowField({ field, path, item, label }: RowProps) {
  const form = useForm();
  const now = (): string => {
    const flow = flowIn(form.draft.text.peek());
    const value = flow && valueAtPath({ ...form, flow }, path);
    return value === undefined ? '' : rowText(value);
  };
  const accept = (text: string): string | undefined => {
    const value = readRow(text);
    if (typeof value === 'string' && /\$\{[^}]*$/.test(value)) return t('A {character} is missing', { character: '}' });
    const problem = field.key.values && problemOf(value, field.key.values);
    if (problem !== undefined) return problem;
    const title = t('change {path} of {step}', { path: String(path.at(-1)), step: form.step });
    return form.edits.set({ step: form.step, path, value, title, field: path.join('.') });
  };
  return (
    <Typing
      label={label}
      shown={rowText(item)}
      now={now}
      accept={accept}
      isLocked={form.isLocked}
      class="row-value"
      isMono={typeof item !== 'string' || item.includes('${')}
    />
  );
}

interface NameProps {
  field: FormField;
  name: string;
  item: Json;
  others: readonly string[];
}

function NameField({ field, name, item, others }: NameProps) {
  const form = useForm();
  const rename = (input: HTMLInputElement): void => {
    const to = input.value.trim();
    if (to === name) return;
    const isTaken = to === '' || others.includes(to);
    const path = pathInFlow(form, [...field.path, name]);
    const refused = isTaken
      ? 'taken'
      : form.edits.change(
          (flow) => [...form.edits.declarations(flow, [...field.path, to], item), { do: 'key', path, to }],
          t('rename {name} to {to} in {step}', { name, to, step: form.step }),
        );
    if (refused !== undefined) input.value = name;
  };
  return (
    <input
      class="mono row-name"
      type="text"
      aria-label={t('Name {name}', { name })}
      defaultValue={name}
      readOnly={form.isLocked}
      spellcheck={false}
      autocomplete="off"
      onBlur={({ currentTarget }) => rename(currentTarget)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') rename(event.currentTarget);
        if (event.key === 'Escape') {
          event.stopPropagation();
          event.currentTarget.value = name;
          event.currentTarget.blur();
        }
      }}
    />
  );
}
