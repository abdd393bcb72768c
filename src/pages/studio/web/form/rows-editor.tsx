/** Names with their values: variables, inputs, headers, bodies. */
import { isObject, type Json } from '../../../../base/core/json.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import { verbOf } from '../../../../language/flow/text/language.ts';
import { keysAt } from '../../../../language/flow/text/references.ts';
import { inSentence, t } from '../../../shared/web/words/translate.ts';
import { type EditorProps, type FormContext, flowIn, pathInFlow, useForm, valueAtPath } from './context.ts';
import type { FormField } from './fields.ts';
import { focusAfterRemoval } from './focus.ts';
import { problemOf } from './limits.ts';
import { AddField } from './list-editor.tsx';
import { RowName, renameEverywhere } from './row-name.tsx';
import { Typing } from './typing.tsx';
import { readRow, rowText } from './values.ts';

export function RowsEditor({ field, value }: EditorProps) {
  const form = useForm();
  const { path, label } = field;
  const variables = variablesIn(form, field);
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
        <span
          class="pair-row"
          key={name}
          {...(variables.includes(name) && { 'data-name-kind': 'variable', 'data-name': name })}
        >
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

/** Declared variables, if the rows assign them. */
function variablesIn({ flow, language }: FormContext, { path }: FormField): string[] {
  const isAssigned = path.length === 1 && verbOf(language, path[0])?.form === 'assignments';
  return isAssigned ? keysAt(flow, ['vars']) : [];
}

interface NameProps {
  field: FormField;
  name: string;
  item: Json;
  others: readonly string[];
}

function NameField({ field, name, item, others }: NameProps) {
  const form = useForm();
  const { edits, step } = form;
  const variables = variablesIn(form, field);
  const isVariable = variables.includes(name);
  const rename = (to: string): string | undefined => {
    if (to === '' || others.includes(to)) return t('There is {name} already', { name: to });
    // The name of another variable assigns that one.
    if (isVariable && !variables.includes(to)) return renameEverywhere(form, 'variable', name, to);
    const path = pathInFlow(form, [...field.path, name]);
    return edits.change(
      (now) => [...edits.declarations(now, [...field.path, to], item), { do: 'key', path, to }],
      t('rename {name} to {to} in {step}', { name, to, step }),
    );
  };
  return <RowName name={name} kind={isVariable ? 'variable' : undefined} rename={rename} />;
}
