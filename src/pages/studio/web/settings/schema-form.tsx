/** Form for an object, generated from its schema. `fields.ts` parses the input. */
import type { Json } from '../../../../base/core/json.ts';
import { kindOf, writtenOf } from './fields.ts';
import type { OpenApiSchema } from './openapi.ts';

interface SchemaFormProps {
  schema: OpenApiSchema;
  /** Text of each field, by name. */
  fields: Readonly<Record<string, string>>;
  problems?: Readonly<Record<string, string>>;
  /** Suggestions, by field name. */
  choices?: Readonly<Record<string, readonly string[]>>;
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

export function SchemaForm({ schema, fields, problems = {}, choices = {}, isLocked = false, change }: SchemaFormProps) {
  const shown = Object.entries(schema.properties ?? {}).filter(([name]) => !isLocked || (fields[name] ?? '') !== '');
  return (
    <>
      {shown.map(([name, property]) => (
        <Field
          key={name}
          name={name}
          schema={property}
          isRequired={schema.required?.includes(name) ?? false}
          written={fields[name] ?? ''}
          problem={problems[name]}
          choices={choices[name]}
          change={(written) => change(name, written)}
        />
      ))}
    </>
  );
}

interface FieldProps {
  name: string;
  schema: OpenApiSchema;
  isRequired: boolean;
  written: string;
  problem: string | undefined;
  choices: readonly string[] | undefined;
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
        {wordsOf(name)}
        {isRequired && <span class="required"> required</span>}
      </label>
      {kind === 'choice' || kind === 'switch' ? (
        <select {...common}>
          <option value="">{placeholder === undefined ? 'default' : `default: ${placeholder}`}</option>
          {(schema.enum ?? ['true', 'false']).map((value) => (
            <option key={value} value={value}>
              {value === 'true' ? 'yes' : value === 'false' ? 'no' : value}
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
          list={choices ? `${id}-choices` : undefined}
        />
      )}
      {choices && (
        <datalist id={`${id}-choices`}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      <small id={`${id}-help`}>
        {problem !== undefined && <strong>{problem}. </strong>}
        {plain(schema.description ?? '')}
        {kind === 'list' && ' One per line.'}
      </small>
    </div>
  );
}

/** `greeting_heard` → `greeting heard`. */
export const wordsOf = (name: string): string => name.replaceAll('_', ' ');

const plain = (text: string): string => text.replaceAll('`', '');
