/** Fields of the forms: every key of every schema has one, none two, and each verb says which come first. */
import { describe, expect, it } from 'vitest';
import type { LanguageKey } from '../../../src/language/flow/text/language.ts';
import { allFields, type EditorKind, formOf } from '../../../src/pages/studio/web/form/fields.ts';
import { problemOf, typesOf } from '../../../src/pages/studio/web/form/limits.ts';
import { argumentsOf, language } from './samples.ts';

const verbs = Object.keys(language.verbs);

/** Keys that “Where it leads” shows. */
const ROUTES = ['exits', 'next'];

describe.each(verbs)('the form of %s', (verb) => {
  const { schema, form, short, essentials } = language.verbs[verb]!;
  const fields = allFields(formOf(language, verb));
  const paths = fields.map(({ path, editor, inner }) => ({ path: path.join('.'), editor, inner }));

  it('reaches every key of the schema once', () => {
    const isMap =
      form === undefined && (short !== undefined || !typesOf(schema).has('string')) && typesOf(schema).has('object');
    const own = isMap ? Object.keys(schema.properties ?? {}).map((key) => `${verb}.${key}`) : [verb];
    const common = Object.keys(language.step.properties!).filter((key) => !ROUTES.includes(key));
    // A request has one field for its method and address, whose keys are inside of it.
    const leaves = paths.filter(({ editor }) => editor !== 'method').map(({ path }) => path);
    const top = leaves.filter((path) => path.split('.').length === 1 || path.split('.').length === 2);
    expect(top.toSorted()).toEqual([...new Set([...own, ...common])].toSorted());
  });

  it('has an editor for each key inside of a group', () => {
    for (const { path, inner } of fields.filter(({ editor }) => editor === 'group')) {
      const key = path.slice(1).reduce<LanguageKey | undefined>((at, name) => at?.properties?.[name], schema);
      expect(inner!.map((field) => field.path.at(-1))).toEqual(Object.keys(key!.properties!));
    }
  });

  it('says which keys come first, and they are keys', () => {
    expect(essentials, 'essentials in the schema').toBeDefined();
    for (const key of essentials!) expect(Object.keys(schema.properties ?? {})).toContain(key);
    const first = formOf(language, verb).essentials.map(({ path, inner }) => inner?.[0]?.path[1] ?? path[1]);
    const methods = ['get', 'post', 'put', 'patch', 'delete'];
    const wanted = essentials!.filter((key) => !methods.includes(key) || key === 'get');
    if (first.some((key) => key !== undefined))
      expect(formOf(language, verb).essentials.map(({ path }) => path[1])).toEqual(wanted);
  });

  it('has a label for each field that no other field of the form has', () => {
    const form_ = formOf(language, verb);
    const labels = [...form_.essentials, ...form_.more].map(({ label }) => label);
    expect(labels.filter((label, index) => labels.indexOf(label) !== index)).toEqual([]);
    for (const label of labels) expect(label).toMatch(/^[A-Z]/);
  });

  it('accepts values that the schema accepts', () => {
    const refused = argumentsOf(verb).flatMap(({ key, path, sample }) => {
      const problem = problemOf(sample, schema.properties?.[key] ?? {});
      return problem === undefined ? [] : [`${path.join('.')}: ${problem}`];
    });
    expect(refused).toEqual([]);
  });
});

it('leaves few keys of all forms to the YAML editor', () => {
  const all = verbs
    .flatMap((verb) => formOf(language, verb))
    .flatMap(({ essentials, more }) => [...essentials, ...more]);
  const counts = Object.groupBy(all, ({ editor }): EditorKind => editor);
  const yaml = new Set(counts.yaml!.map(({ path }) => path.join('.')));
  expect([...yaml].toSorted()).toMatchInlineSnapshot(`
    [
      "bridge.detect_machine",
      "parallel.branches",
      "request.returns",
      "todo.source",
    ]
  `);
});

it('shows a verb without essentials in the order of its schema', () => {
  const verb = { ...language.verbs['pause']!, essentials: undefined };
  const plain = formOf({ ...language, verbs: { pause: verb as never } }, 'pause');
  expect(plain.essentials).toEqual([]);
  expect(plain.more[0]!.path).toEqual(['pause', 'duration']);
});

it('shows a map that may also be yes or no by fields, once it is a map', () => {
  const field = allFields(formOf(language, 'bridge')).find(
    ({ path }) => path[1] === 'detect_machine' && path.length === 2,
  );
  expect(field!.inner!.map(({ path, editor }) => [path.at(-1), editor])).toEqual([
    ['timeout', 'duration'],
    ['await_beep', 'duration'],
  ]);
});
