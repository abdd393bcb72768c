/** Fields with a few possible values: yes or no, words, steps and flows. The default is never written. */
import type { Json } from '../../../../base/core/json.ts';
import { isEqualJson } from '../../../../base/core/json.ts';
import { inSentence, t } from '../../../shared/web/words/translate.ts';
import { type EditorProps, useForm } from './context.ts';
import type { FormField } from './fields.ts';
import { inWords } from './labels.ts';
import { StepSelect } from './step-select.tsx';
import { defaultWords, shownValue } from './values.ts';

/** More words are a list. */
const MAX_SEGMENTS = 4;

export function SelectEditor({ field, id, value }: EditorProps) {
  const form = useForm();
  const { path, label, editor, key } = field;
  const set = (to: Json | undefined): void => {
    const isDefault = to !== undefined && key.default !== undefined && isEqualJson(to, key.default);
    const title = t('change {label} of {step}', { label: inSentence(label), step: form.step });
    form.edits.set({ step: form.step, path, value: isDefault ? undefined : to, title });
  };
  if (editor === 'step') {
    return <StepSelect id={id} label={label} target={String(value ?? '')} isLocked={form.isLocked} choose={set} />;
  }
  if (editor === 'flow') return <FlowSelect field={field} id={id} value={value} set={set} />;
  const options: Json[] = editor === 'switch' ? [true, false] : (key.enum ?? []);
  if (options.length > MAX_SEGMENTS) return <WordSelect field={field} options={options} value={value} set={set} />;
  return (
    <span class="segments">
      {options.map((option) => {
        const isUsual = value === undefined && isEqualJson(option, key.default);
        return (
          <button
            key={String(option)}
            type="button"
            aria-pressed={isEqualJson(option, value) || isUsual}
            class={isUsual ? 'usual' : ''}
            disabled={form.isLocked}
            // Pressed again, an optional value is cleared.
            onClick={() => set(isEqualJson(option, value) && !field.isRequired ? undefined : option)}
          >
            {inWords(shownValue(option, 'switch'))}
            {isUsual && <small> {t('default')}</small>}
          </button>
        );
      })}
    </span>
  );
}

interface SelectProps {
  field: FormField;
  value: Json | undefined;
  set(to: Json | undefined): void;
}

function WordSelect({ field, options, value, set }: SelectProps & { options: readonly Json[] }) {
  const form = useForm();
  const usual = defaultWords(field.key, 'words-of');
  const all =
    value === undefined || options.some((option) => isEqualJson(option, value)) ? options : [...options, value];
  return (
    <select
      aria-label={field.label}
      disabled={form.isLocked}
      class={value === undefined ? 'usual' : ''}
      value={value === undefined ? '' : JSON.stringify(value)}
      onChange={({ currentTarget }) =>
        set(currentTarget.value === '' ? undefined : (JSON.parse(currentTarget.value) as Json))
      }
    >
      {(!field.isRequired || value === undefined) && (
        <option value="">{usual === undefined ? t('Default') : t('Default: {usual}', { usual })}</option>
      )}
      {all.map((option) => (
        <option key={String(option)} value={JSON.stringify(option)}>
          {inWords(String(option))}
        </option>
      ))}
    </select>
  );
}

/** Names of flows. */
function FlowSelect({ field, id, value, set }: SelectProps & { id: string }) {
  const form = useForm();
  const local = Object.keys(Object(form.flow['flows']) as object);
  const names = [...new Set([...local, ...form.flows, ...(typeof value === 'string' ? [value] : [])])];
  return (
    <select
      id={id}
      disabled={form.isLocked}
      value={String(value ?? '')}
      onChange={({ currentTarget }) => set(currentTarget.value === '' ? undefined : currentTarget.value)}
    >
      {(value === undefined || !field.isRequired) && <option value="">{t('Choose a flow')}</option>}
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
