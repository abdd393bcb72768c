/** Form of one setting: name, lock, and buttons to save and remove it. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Json } from '../../../../base/core/json.ts';
import { request } from '../api.ts';
import { Icon } from '../icons.tsx';
import { tell, tellError } from '../shell/messages.tsx';
import { isReader } from '../shell/session.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { readForm } from './fields.ts';
import { bodySchema, type OpenApiSchema } from './openapi.ts';
import { fieldsOf, SchemaForm } from './schema-form.tsx';

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
  remove,
  actions,
  children,
}: SettingFormProps) {
  const isNew = name === undefined;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    save().catch(tellError);
  };
  const askAndRemove = (): void => {
    if (!confirm(`Remove the ${one} ${name}?`)) return;
    remove().then(() => tell(`Removed: ${one} ${name}`), tellError);
  };
  return (
    <form class="form" onSubmit={submit} aria-label={isNew ? `New ${one}` : `${one} ${name}`}>
      <h2>{isNew ? `New ${one}` : heading}</h2>
      {isLocked && (
        <p class="locked">
          <Icon name="lock" size={13} /> Set in the configuration file: change it there.
        </p>
      )}
      <fieldset class="form-fields" disabled={isLocked || isReader()}>
        {children}
      </fieldset>
      {!isLocked && (
        <WriteAccessOnly>
          <div class="form-end">
            <button type="submit" class="button primary">
              Save
            </button>
            {!isNew && actions}
            {!isNew && (
              <button type="button" class="button danger" onClick={askAndRemove}>
                Remove
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

/** A required text field. */
export const TextField = ({ id, label, of, help }: TextFieldProps) => (
  <div class="field">
    <label for={id}>
      {label} <span class="required">required</span>
    </label>
    <input
      id={id}
      required
      autocomplete="off"
      list={undefined}
      value={of.value}
      aria-describedby={help === undefined ? undefined : `${id}-help`}
      onInput={(event) => {
        of.value = event.currentTarget.value;
      }}
    />
    {help !== undefined && <small id={`${id}-help`}>{help}</small>}
  </div>
);

/** Saves an item and shows a confirmation. */
export async function put(one: string, name: string, path: string, json: unknown): Promise<void> {
  await request(path, { method: 'PUT', json });
  tell(`Saved: ${one} ${name}`);
}

export interface BodyForm {
  /** Request body. Undefined if a field is invalid, which then shows its problem. */
  read(): Record<string, Json> | undefined;
  fields(options: { isLocked: boolean; choices?: Readonly<Record<string, readonly string[]>> }): ComponentChildren;
}

/** Fields generated from the schema of a request body. */
export function useBodyForm(
  method: 'post' | 'put' | 'patch',
  path: string,
  value: Readonly<Record<string, Json>>,
): BodyForm {
  const schema = useSignal<OpenApiSchema | undefined>(undefined);
  const fields = useSignal<Record<string, string>>({});
  const problems = useSignal<Record<string, string>>({});
  useEffect(() => {
    void bodySchema(method, path).then((found) => {
      schema.value = found;
      fields.value = fieldsOf(found, value);
    }, tellError);
  }, []);
  return {
    read() {
      if (!schema.value) return undefined;
      const found = readForm(fields.value, schema.value);
      problems.value = found.problems ?? {};
      return 'body' in found ? found.body : undefined;
    },
    fields: ({ isLocked, choices = {} }) =>
      schema.value && (
        <SchemaForm
          schema={schema.value}
          fields={fields.value}
          problems={problems.value}
          choices={choices}
          isLocked={isLocked || isReader()}
          change={(field, written) => {
            fields.value = { ...fields.value, [field]: written };
          }}
        />
      ),
  };
}
