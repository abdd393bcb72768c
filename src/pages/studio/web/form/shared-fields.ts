/** Fields that the forms of several steps have in common. Pure. */
import type { GraphStep } from '../../../../language/flow/graph.ts';
import type { Language } from '../../../../language/flow/text/language.ts';
import { type EditorKind, type FormField, formOf } from './fields.ts';

/** Editors that set one whole value. */
const SIMPLE: readonly EditorKind[] = ['duration', 'number', 'switch', 'words-of', 'text', 'long', 'step', 'flow'];
/** Keys that belong to one step each. */
const OWN_KEYS: readonly string[] = ['label', 'doc'];

/** Fields that the forms of all steps have. Fields of a verb have its name, so steps of other verbs do not share them. */
export function sharedFields(language: Language, steps: readonly GraphStep[]): FormField[] {
  const forms = [...new Set(steps.map(({ verb }) => verb))].map((verb) => {
    const { essentials, more } = formOf(language, verb);
    return new Map([...essentials, ...more].map((field) => [`${field.editor} ${field.path.join('.')}`, field]));
  });
  const [first, ...others] = forms;
  return [...(first ?? [])]
    .filter(([key, { editor, path }]) => {
      const isSimple = SIMPLE.includes(editor) && !(path.length === 1 && OWN_KEYS.includes(String(path[0])));
      return isSimple && others.every((form) => form.has(key));
    })
    .map(([, field]) => field);
}
