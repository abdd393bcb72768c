/** Form of one setting: name, lock, and buttons to save and remove it. */
import { type ReadonlySignal, type Signal, signal, useSignal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { Json } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { Icon } from '../icons.tsx';
import { tell, tellError } from '../shell/messages.tsx';
import { NEEDED, refusalOf } from '../shell/refusal.ts';
import { isReader } from '../shell/session.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { readForm } from './fields.ts';
import { bodySchema, type OpenApiSchema } from './openapi.ts';
import { type FormLayout, fieldsOf, SchemaForm } from './schema-form.tsx';

/** True once the form was sent. */
const Checked = createContext<ReadonlySignal<boolean>>(signal(false));

interface SettingFormProps {
  /** Name of the kind: `number`. */
  one: string;
  /** Absent for a new item. */
  name?: string | undefined;
  /** Heading, if it is not the name. */
  heading?: string;
  isLocked: boolean;
  /** Errors are shown in the form. */
  save(): Promise<void>;
  /** Shows the problems of fields in an error of `save`. Returns the problem of the whole form, if there is one. */
  refuse?(error: unknown): string | undefined;
  remove(): Promise<void>;
  /** Additional buttons for an existing item. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function SettingForm({
  one,
  name,
  heading = name,
  isLocked,
  save,
  refuse = (error) => refusalOf(error, []).form,
  remove,
  actions,
  children,
}: SettingFormProps) {
  const isNew = name === undefined;
  const form = useRef<HTMLFormElement>(null);
  const problem = useSignal<string | undefined>(undefined);
  const isChecked = useSignal(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    problem.value = undefined;
    isChecked.value = true;
    const isFilled = form.current?.querySelector(':invalid:not(fieldset)') === null;
    if (isFilled)
      await save().catch((error: unknown) => {
        problem.value = refuse(error);
      });
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const askAndRemove = (): void => {
    if (!confirm(t('Remove the {one} {name}?', { one, name: name ?? '' }))) return;
    remove().then(() => tell(t('Removed: {one} {name}', { one, name: name ?? '' })), tellError);
  };
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={submit}
      aria-label={isNew ? t('New {one}', { one }) : `${one} ${name}`}
    >
      <h2>{isNew ? t('New {one}', { one }) : heading}</h2>
      {isLocked && (
        <p class="locked">
          <Icon name="lock" size={13} /> {t('Set in the configuration file: change it there.')}
        </p>
      )}
      <fieldset class="form-fields" disabled={isLocked || isReader()}>
        <Checked.Provider value={isChecked}>{children}</Checked.Provider>
      </fieldset>
      {!isLocked && (
        <WriteAccessOnly>
          {problem.value !== undefined && (
            <p role="alert" class="form-problem">
              {problem.value}
            </p>
          )}
          <div class="form-end">
            <button type="submit" class="button primary">
              {t('Save')}
            </button>
            {!isNew && actions}
            {!isNew && (
              <button type="button" class="button danger" onClick={askAndRemove}>
                {t('Remove')}
              </button>
            )}
          </div>
        </WriteAccessOnly>
      )}
    </form>
  );
}

interface TextFieldProps {
  id: string;
  label: string;
  of: Signal<string>;
  help?: string;
}

/** A required text field. It says so once the form was sent without it. */
export function TextField({ id, label, of, help }: TextFieldProps) {
  const isMissing = useContext(Checked).value && of.value.trim() === '';
  return (
    <div class="field">
      <label for={id}>
        {label} <span class="required">{t('required')}</span>
      </label>
      <input
        id={id}
        required
        autocomplete="off"
        list={undefined}
        value={of.value}
        aria-invalid={isMissing}
        aria-describedby={`${id}-help`}
        onInput={(event) => {
          of.value = event.currentTarget.value;
        }}
      />
      <small id={`${id}-help`}>
        {isMissing && <strong>{NEEDED} </strong>}
        {help}
      </small>
    </div>
  );
}

/** Saves an item and shows a confirmation. */
export async function put(one: string, name: string, path: string, json: unknown): Promise<void> {
  await request(path, { method: 'PUT', json });
  tell(t('Saved: {one} {name}', { one, name }));
}

export interface BodyForm {
  /** Request body without the `idle` fields. Undefined if a field is invalid, which then shows its problem. */
  read(idle?: readonly string[]): Record<string, Json> | undefined;
  /** For `SettingForm.refuse`. */
  refuse(error: unknown): string | undefined;
  /** Current text of each field. */
  texts: Readonly<Record<string, string>>;
  fields(options: { isLocked: boolean } & FormLayout): ComponentChildren;
}

/** Fields generated from the schema of a request body. */
export function useBodyForm(
  method: 'post' | 'put' | 'patch',
  path: string,
  value: Readonly<Record<string, Json>>,
  /** Required fields in addition to those of the schema. */
  needed: readonly string[] = [],
): BodyForm {
  const schema = useSignal<OpenApiSchema | undefined>(undefined);
  const fields = useSignal<Record<string, string>>({});
  const problems = useSignal<Record<string, string>>({});
  useEffect(() => {
    void bodySchema(method, path).then((found) => {
      schema.value = { ...found, required: [...(found.required ?? []), ...needed] };
      fields.value = fieldsOf(found, value);
    }, tellError);
  }, []);
  return {
    texts: fields.value,
    read(idle = []) {
      if (!schema.value) return undefined;
      const used = Object.entries(fields.value).filter(([name]) => !idle.includes(name));
      const found = readForm(Object.fromEntries(used), schema.value);
      problems.value = found.problems ?? {};
      return 'body' in found ? found.body : undefined;
    },
    refuse(error) {
      const refusal = refusalOf(error, Object.keys(schema.value?.properties ?? {}));
      problems.value = refusal.fields;
      return refusal.form;
    },
    fields: ({ isLocked, ...layout }) =>
      schema.value && (
        <SchemaForm
          schema={schema.value}
          fields={fields.value}
          problems={problems.value}
          layout={layout}
          isLocked={isLocked || isReader()}
          change={(field, written) => {
            fields.value = { ...fields.value, [field]: written };
          }}
        />
      ),
  };
}
