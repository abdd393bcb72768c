/** Form for an object, generated from its schema. `fields.ts` parses the input. */
import type { Json } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { kindOf, writtenOf } from './fields.ts';
import { labelOf } from './labels.ts';
import type { OpenApiSchema } from './openapi.ts';

/** A value of a field with its name, for a select. */
export interface Choice {
  value: string;
  label: string;
}

export interface FormLayout {
  /** Values to choose from, by field name. */
  choices?: Readonly<Record<string, readonly Choice[]>>;
  /** Fields that are always in view, in this order. Default: all. */
  first?: readonly string[];
  /** Fields that are not shown. */
  hidden?: readonly string[];
}

interface SchemaFormProps {
  schema: OpenApiSchema;
  /** Text of each field, by name. */
  fields: Readonly<Record<string, string>>;
  problems?: Readonly<Record<string, string>>;
  layout?: FormLayout;
  /** A locked form is read-only and omits empty fields. */
  isLocked?: boolean;
  change(name: string, written: string): void;
}

/** Field texts of an existing object. */
export const fieldsOf = (schema: OpenApiSchema, value: Readonly<Record<string, Json>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [
      name,
      writtenOf(value[name], kindOf(name, property)),
    ]),
  );

export function SchemaForm({ schema, fields, problems = {}, layout = {}, isLocked = false, change }: SchemaFormProps) {
  const { choices = {}, hidden = [] } = layout;
  const textOf = (name: string): string => fields[name] ?? '';
  const shown = Object.keys(schema.properties ?? {}).filter(
    (name) => !hidden.includes(name) && (!isLocked || textOf(name) !== ''),
  );
  const first = layout.first?.filter((name) => shown.includes(name)) ?? shown;
  const more = shown.filter((name) => !first.includes(name));
  const field = (name: string) => (
    <Field
      key={name}
      name={name}
      schema={schema.properties![name]!}
      isRequired={schema.required?.includes(name) ?? false}
      written={textOf(name)}
      problem={problems[name]}
      choices={choices[name]}
      change={(written) => change(name, written)}
    />
  );
  const changed = more.filter((name) => textOf(name) !== '').length;
  return (
    <>
      {first.map(field)}
      {more.length > 0 && (
        // A problem inside the fold opens it.
        <details class="more-fields" open={isLocked || more.some((name) => problems[name] !== undefined)}>
          <summary>
            {t('More')} <small>{changed === 0 ? t('all default') : t('{changed} set', { changed })}</small>
          </summary>
          <div class="more-inside">{more.map(field)}</div>
        </details>
      )}
    </>
  );
}

interface FieldProps {
  name: string;
  schema: OpenApiSchema;
  isRequired: boolean;
  written: string;
  problem: string | undefined;
  choices: readonly Choice[] | undefined;
  change(written: string): void;
}

function Field({ name, schema, isRequired, written, problem, choices, change }: FieldProps) {
  const kind = kindOf(name, schema);
  const id = `field-${name}`;
  const common = {
    id,
    value: written,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-help`,
    onInput: (event: Event) => change((event.currentTarget as HTMLInputElement).value),
  };
  const placeholder = schema.default === undefined ? undefined : String(schema.default);
  return (
    <div class={`field ${kind}`}>
      <label for={id}>
        {labelOf(name)}
        {isRequired && <span class="required"> {t('required')}</span>}
      </label>
      {choices ? (
        <select {...common}>
          <option value="">{t('none')}</option>
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
          {written !== '' && !choices.some(({ value }) => value === written) && (
            <option value={written}>{t('{written} (not found)', { written })}</option>
          )}
        </select>
      ) : kind === 'choice' || kind === 'switch' ? (
        <select {...common}>
          <option value="">
            {placeholder === undefined ? t('default') : t('default: {value}', { value: placeholder })}
          </option>
          {(schema.enum ?? ['true', 'false']).map((value) => (
            <option key={value} value={value}>
              {value === 'true' ? t('yes') : value === 'false' ? t('no') : value}
            </option>
          ))}
        </select>
      ) : kind === 'long' || kind === 'json' || kind === 'list' ? (
        <textarea {...common} rows={kind === 'list' ? 3 : 4} spellcheck={kind === 'long'} />
      ) : kind === 'secret' ? (
        <input {...common} type="password" autocomplete="new-password" />
      ) : (
        <input
          {...common}
          type="text"
          inputMode={kind === 'number' ? 'decimal' : undefined}
          autocomplete="off"
          placeholder={placeholder}
          list={undefined}
        />
      )}
      <small id={`${id}-help`}>
        {problem !== undefined && <strong>{problem} </strong>}
        {plain(schema.description ?? '')}
        {kind === 'list' && ` ${t('One per line.')}`}
      </small>
    </div>
  );
}

const plain = (text: string): string => text.replaceAll('`', '');
