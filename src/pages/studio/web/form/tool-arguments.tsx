/** Arguments that an agent says with a tool: a name, a kind, and whether it is needed. */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import type { LanguageKey } from '../../../../language/flow/text/language.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { flowIn, pathInFlow, useForm, valueAtPath } from './context.ts';
import type { FormField } from './fields.ts';
import { focusAfterRemoval } from './focus.ts';
import { problemOf } from './limits.ts';
import { AddField } from './list-editor.tsx';
import { RowName } from './row-name.tsx';
import {
  type ArgumentKind,
  KINDS,
  mapChanges,
  nameFrom,
  ofKind,
  problemOfName,
  readArgument,
  required,
  wordsIn,
} from './tools.ts';
import { Typing } from './typing.tsx';
import { readRow, rowText } from './values.ts';

const KIND_WORDS: Readonly<Record<ArgumentKind, string>> = {
  text: t('Text'),
  number: t('Number'),
  whole: t('Whole number'),
  'yes-no': t('Yes or no'),
  words: t('One of some words'),
  date: t('Date'),
};

interface ArgumentsProps {
  field: FormField;
  /** Name of the tool. */
  tool: string;
  value: Json | undefined;
}

export function ToolArguments({ field, tool, value }: ArgumentsProps) {
  const { step, edits, isLocked } = useForm();
  const rows = Object.entries(isObject(value ?? null) ? (value as JsonObject) : {});
  const names = rows.map(([name]) => name);
  const add = (typed: string): string | undefined => {
    const name = nameFrom(typed);
    const problem = problemOfName(field.key, name, names);
    if (problem !== undefined) return problem;
    const title = t('add {name} to {step}', { name, step: tool });
    return edits.set({ step, path: [...field.path, name], value: { type: 'string' }, title });
  };
  if (rows.length === 0 && isLocked) return null;
  return (
    <span class="list-rows" role="group" aria-label={t('Arguments of {tool}', { tool })}>
      <span class="form-label">{t('The agent says')}</span>
      {rows.map(([name, schema]) => (
        <ArgumentRow
          key={name}
          limits={field.key}
          path={[...field.path, name]}
          name={name}
          schema={schema}
          tool={tool}
          names={names}
        />
      ))}
      {!isLocked && (
        <AddField label={t('Arguments of {tool}', { tool })} placeholder={t('Argument, such as date')} add={add} />
      )}
    </span>
  );
}

interface RowProps {
  /** Schema of the arguments. */
  limits: LanguageKey;
  path: Path;
  name: string;
  schema: Json;
  tool: string;
  names: readonly string[];
}

function ArgumentRow({ limits, path, name, schema, tool, names }: RowProps) {
  const form = useForm();
  const { step, edits, isLocked, Field } = form;
  const argument = readArgument(schema);
  const title = t('change {path} of {step}', { path: name, step: tool });
  const rename = (typed: string): string | undefined => {
    const to = nameFrom(typed);
    const problem = problemOfName(
      limits,
      to,
      names.filter((other) => other !== name),
    );
    if (problem !== undefined) return problem;
    return edits.change(
      () => [{ do: 'key', path: pathInFlow(form, path), to }],
      t('rename {name} to {to}', { name, to }),
    );
  };
  const change = (next: (now: JsonObject) => JsonObject): void => {
    edits.change((flow) => {
      const now = valueAtPath({ ...form, flow }, path) ?? null;
      return isObject(now) ? mapChanges(pathInFlow({ ...form, flow }, path), now, next(now)) : [];
    }, title);
  };
  return (
    <span class="list-row tool-argument">
      <span class="tool-name">
        <RowName name={name} rename={rename} />
      </span>
      {argument === undefined ? (
        <Field
          field={{
            path,
            label: t('Schema of {name}', { name }),
            key: { type: 'object' },
            editor: 'yaml',
            isRequired: true,
          }}
        />
      ) : (
        <>
          <select
            aria-label={t('Kind of {name}', { name })}
            disabled={isLocked}
            value={argument.kind}
            onChange={({ currentTarget }) => change((now) => ofKind(now, currentTarget.value as ArgumentKind))}
          >
            {KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {KIND_WORDS[kind]}
              </option>
            ))}
          </select>
          <label class="tool-needed">
            <input
              type="checkbox"
              checked={argument.otherwise === undefined}
              disabled={isLocked}
              aria-label={t('{name} is needed', { name })}
              onChange={({ currentTarget }) => change((now) => required(now, currentTarget.checked))}
            />
            {t('needed')}
          </label>
        </>
      )}
      <button
        type="button"
        class="button quiet"
        aria-label={t('Remove {name}', { name })}
        disabled={isLocked}
        onClick={({ currentTarget }) => {
          focusAfterRemoval(currentTarget);
          edits.set({ step, path, value: undefined, title: t('remove {name}', { name }) });
        }}
      >
        ×
      </button>
      {argument?.kind === 'words' && <Words path={[...path, 'enum']} name={name} title={title} />}
      {argument?.otherwise !== undefined && (
        <Otherwise path={[...path, 'default']} name={name} title={title} schema={schema} />
      )}
    </span>
  );
}

interface PartProps {
  path: Path;
  name: string;
  title: string;
}

/** Value at a path of the latest text. */
function useLatest(path: Path): () => Json | undefined {
  const form = useForm();
  return () => valueAtPath({ ...form, flow: flowIn(form.draft.text.peek()) ?? {} }, path);
}

function Words({ path, name, title }: PartProps) {
  const form = useForm();
  const latest = useLatest(path);
  const text = (value: Json | undefined): string => (Array.isArray(value) ? value.join(', ') : '');
  return (
    <span class="tool-part">
      <Typing
        label={t('Words of {name}, separated by commas', { name })}
        shown={text(valueAtPath(form, path))}
        now={() => text(latest())}
        isLocked={form.isLocked}
        accept={(typed) => {
          const value = wordsIn(typed);
          if (value.length === 0) return t('Needs some text');
          return form.edits.set({ step: form.step, path, value, title, field: path.join('.') });
        }}
      />
    </span>
  );
}

/** Value of an argument that the agent leaves out. */
function Otherwise({ path, name, title, schema }: PartProps & { schema: Json }) {
  const form = useForm();
  const latest = useLatest(path);
  const text = (value: Json | undefined): string => (value === undefined ? '' : rowText(value));
  return (
    <span class="tool-part otherwise">
      <span aria-hidden="true">{t('otherwise')}</span>
      <Typing
        label={t('{name} otherwise', { name })}
        shown={text(valueAtPath(form, path))}
        now={() => text(latest())}
        isLocked={form.isLocked}
        accept={(typed) => {
          const value = readRow(typed);
          const problem = problemOf(value, isObject(schema) ? { ...schema, default: value } : {});
          return problem ?? form.edits.set({ step: form.step, path, value, title, field: path.join('.') });
        }}
      />
    </span>
  );
}
