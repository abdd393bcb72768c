/**
 * Fields of the form of a step, from the schemas: their order, and the editor that draws each. Pure. `labels.ts` names
 * them, `field-view.tsx` draws them.
 *
 * Invariant: every key of a verb and every common key of a step has exactly one field, or is a route (`exits`, `next`).
 */
import { namedAt } from '../../../../language/flow/named-places.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import { type Language, type LanguageKey, type LanguageVerb, verbOf } from '../../../../language/flow/text/language.ts';
import { labelOf } from './labels.ts';
import { typesOf } from './limits.ts';

export type EditorKind =
  | 'words'
  | 'duration'
  | 'number'
  | 'switch'
  | 'words-of'
  | 'key'
  | 'text'
  | 'long'
  | 'expression'
  | 'choices'
  | 'cases'
  | 'rows'
  | 'list'
  | 'step'
  | 'flow'
  | 'schedule'
  | 'method'
  | 'tools'
  | 'group'
  | 'yaml';

export interface FormField {
  /** Path below the step. */
  path: Path;
  label: string;
  key: LanguageKey;
  editor: EditorKind;
  isRequired: boolean;
  /** Fields of a group, or keys that one editor shares. */
  inner?: readonly FormField[];
}

export interface StepForm {
  essentials: readonly FormField[];
  /** Variables that are set when the step is left. */
  remember: FormField | undefined;
  more: readonly FormField[];
}

/** Common keys that the form shows at a place of their own. */
const ROUTES = ['exits', 'next'];
const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete'];

export function formOf(language: Language, verb: string): StepForm {
  const known = verbOf(language, verb);
  const own = known === undefined ? [] : fieldsOfVerb(verb, known);
  const shown = known?.essentials ?? [];
  const isShown = ({ path, inner }: FormField): boolean =>
    path.length === 1 ||
    [path, ...(inner ?? []).map((field) => field.path)].some(([, key]) => shown.includes(`${key}`));
  const rank = ({ path }: FormField): number => shown.indexOf(String(path[1]));
  const common = Object.entries(language.step.properties ?? {}).filter(
    ([name]) => !ROUTES.includes(name) && name !== verb,
  );
  const rest = common.map(([name, key]) => commonField(name, key));
  return {
    essentials: own.filter(isShown).toSorted((one, other) => rank(one) - rank(other)),
    remember: rest.find(({ path }) => path[0] === 'set'),
    more: [...own.filter((field) => !isShown(field)), ...rest.filter(({ path }) => path[0] !== 'set')],
  };
}

/** All fields, with those inside of groups. */
export const allFields = ({ essentials, remember, more }: StepForm): FormField[] =>
  [...essentials, ...(remember === undefined ? [] : [remember]), ...more].flatMap(withInner);

const withInner = (field: FormField): FormField[] => [field, ...(field.inner ?? []).flatMap(withInner)];

function fieldsOfVerb(verb: string, known: LanguageVerb): FormField[] {
  const { schema, short, form } = known;
  if (form === 'assignments') return [wholeField(verb, schema, 'rows')];
  const isMap = typesOf(schema).has('object') && (short !== undefined || !typesOf(schema).has('string'));
  if (!isMap) return [wholeField(verb, schema, editorOfWhole(known))];
  const fields = Object.entries(schema.properties ?? {}).map(([name, key]) =>
    fieldOf({ path: [verb, name], key, verb, known, isRequired: isIn(schema.required, name) }),
  );
  return withMethod(fields, verb);
}

/** Methods of a request share one field with its address. */
function withMethod(fields: FormField[], verb: string): FormField[] {
  const methods = fields.filter(({ path }) => METHODS.includes(String(path.at(-1))));
  const [first] = methods;
  if (first === undefined || methods.length === 1) return fields;
  const label = labelOf('url', verb);
  const method: FormField = { ...first, label, editor: 'method', isRequired: true, inner: methods };
  return [method, ...fields.filter((field) => !methods.includes(field))];
}

/** Fields of an entry of a map, such as a tool, whose keys the author names. */
export function fieldsInside({ key }: FormField, path: Path, language: Language): FormField[] {
  const verb = String(path[0]);
  const known = verbOf(language, verb);
  if (known === undefined) return [];
  return Object.entries(key.values?.properties ?? {}).map(([name, part]) =>
    fieldOf({ path: [...path, name], key: part, verb, known, isRequired: isIn(key.values?.required, name) }),
  );
}

/** Editor of arguments that are not a map of known keys. */
function editorOfWhole({ schema, names }: LanguageVerb): EditorKind {
  if (schema.items?.properties?.['when'] !== undefined) return 'cases';
  return namedAt(names, []) === 'schedule' ? 'schedule' : 'yaml';
}

const wholeField = (verb: string, key: LanguageKey, editor: EditorKind): FormField => ({
  path: [verb],
  label: labelOf(verb, verb),
  key,
  editor,
  isRequired: true,
});

function commonField(name: string, key: LanguageKey): FormField {
  const editor = name === 'when' ? 'expression' : name === 'set' || name === 'check' ? 'rows' : editorOf([name], key);
  return { path: [name], label: labelOf(name, undefined), key, editor, isRequired: false };
}

interface FieldParts {
  path: Path;
  key: LanguageKey;
  verb: string;
  known: LanguageVerb;
  isRequired: boolean;
}

function fieldOf({ path, key, verb, known, isRequired }: FieldParts): FormField {
  const editor = editorOf(path, key, known);
  const field: FormField = { path, label: labelOf(String(path.at(-1)), verb), key, editor, isRequired };
  // A map that may also be yes or no is a group while it is a map.
  const isGroup = editor === 'group' || (typesOf(key).has('boolean') && key.properties !== undefined);
  if (!isGroup) return field;
  const inner = Object.entries(key.properties!).map(([name, part]) =>
    fieldOf({ path: [...path, name], key: part, verb, known, isRequired: isIn(key.required, name) }),
  );
  return { ...field, inner: withMethod(inner, verb) };
}

const isIn = (required: unknown, name: string): boolean => Array.isArray(required) && required.includes(name);

function editorOf(path: Path, key: LanguageKey, known?: LanguageVerb): EditorKind {
  const named = known && namedAt(known.names, path.slice(1));
  if (named === 'prompt') return 'words';
  const types = typesOf(key);
  const isText = types.has('string');
  if (named === 'step') return 'step';
  if (named === 'assistant') return 'text';
  if (named === 'schedule') return 'schedule';
  if (typeof named === 'object' && 'flow' in named && isText) return 'flow';
  if (types.has('object')) return editorOfMap(key, types);
  if (types.has('array')) return isText || typesOf(key.items).has('string') ? 'list' : 'yaml';
  if (types.size === 0) return ofAnyKind(String(path.at(-1)));
  if (key.code === 'duration') return 'duration';
  if (key.code === 'digit' && !/\{1,\d+\}/.test(key.pattern ?? '')) return 'key';
  if (key.enum !== undefined && isText && !types.has('integer')) return 'words-of';
  if (types.has('boolean')) return isText ? 'text' : 'switch';
  if (types.has('integer') || types.has('number')) return isText ? 'text' : 'number';
  if (!isText) return 'yaml';
  return (key.maxLength ?? 0) >= 1000 && !key.pattern?.includes('://') ? 'long' : 'text';
}

/** Keys that take any value: lists are mostly templates, bodies mostly maps. */
function ofAnyKind(name: string): EditorKind {
  if (name === 'each' || name === 'list') return 'text';
  return name === 'body' || name === 'output' ? 'rows' : 'yaml';
}

/** A map that the author names the keys of, or one of known keys. */
function editorOfMap(key: LanguageKey, types: ReadonlySet<string>): EditorKind {
  if (types.size > 1) return 'yaml';
  if (key.values?.properties?.['dtmf'] !== undefined) return 'choices';
  if (key.values?.properties?.['arguments'] !== undefined) return 'tools';
  if (key.properties !== undefined) return 'group';
  return key.values === undefined || !typesOf(key.values).has('object') ? 'rows' : 'yaml';
}
