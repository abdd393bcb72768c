/**
 * Edits in the graph. Asks for names and verbs where needed; `text/edit.ts` computes the text changes, and the text
 * editor applies them as one undo step. An impossible edit shows a message and changes nothing.
 */
import type { JsonObject } from '../../../../base/core/json.ts';
import { type EditRefusal, type Edits, isRefusal } from '../../../../language/flow/text/edits.ts';
import { type LanguageVerb, verbNamed } from '../../../../language/flow/text/language.ts';
import { definitionOf } from '../../../../language/flow/text/names.ts';
import { renameStep } from '../../../../language/flow/text/rename.ts';
import type { EditCallbacks } from '../graph/edit-callbacks.ts';
import { announce, tell } from '../shell/messages.tsx';
import { copySteps, pasteSteps } from '../text/clipboard.ts';
import { addStep, freshName, joinStep, removeStep, retarget } from '../text/edit.ts';
import { changeWords, spokenWords } from '../text/spoken-words.ts';
import type { EditorParts } from './editor-parts.ts';

/** Applies edits, and announces them. `title`: imperative, for undo. Returns false if they are refused. */
type MakeEdits = (edits: Edits, words: { title: string; said: string }) => boolean;

const STEP_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

export function graphActions(parts: EditorParts): EditCallbacks {
  const { draft, language, text: handle, asked } = parts;
  const textNow = (): string => draft.text.peek();
  const made: MakeEdits = (edits, { title, said }) => {
    if (isRefusal(edits)) {
      refuse(edits);
      return false;
    }
    handle.current?.change(edits, title);
    announce(said);
    return true;
  };
  const verbs = language.verbs;
  return {
    onRetarget: (step, outcome, target) => {
      made(retarget(textNow(), { step, outcome, target, language: verbs }), {
        title: `reconnect ${step}`,
        said: `${step}: ${outcome}, now leads to ${target}`,
      });
    },
    onAdd(after, outcome) {
      asked.value = {
        what: 'word',
        title: outcome === undefined ? `Add a step after ${after}` : `Add a step after ${after}: ${outcome}`,
        label: 'Verb of the step',
        value: '',
        action: 'Add',
        among: Object.entries(verbs).map(([value, { label }]) => ({ value, label })),
        refuse: (word) => (verbNamed(language, word) === undefined ? 'There is no such verb' : undefined),
        take: (word) => {
          const verb = verbNamed(language, word)!;
          const name = freshName(
            verb,
            draft.names.peek().defined.flatMap((each) => (each.kind === 'step' ? each.name : [])),
          );
          const way = outcome === undefined ? {} : { outcome, between: true };
          const step = firstOf(verb, verbs[verb]!);
          const edits = addStep(textNow(), { name, step, after, ...way, language: verbs });
          if (made(edits, { title: `add ${name}`, said: `${name} is added` })) draft.selected.value = name;
        },
      };
    },
    onRename: (step) => askForName(parts, step),
    onWords: (step) => askForWords(parts, step, made),
    onDelete(step) {
      const before = draft.graph.steps.find(({ exits }) => exits.some(({ target }) => target === step))?.name;
      const joined = joinStep(textNow(), { name: step, language: verbs });
      const title = `delete ${step}`;
      const isGone = isRefusal(joined)
        ? made(removeStep(textNow(), step), { title, said: `${step} is deleted; routes to it have no target` })
        : made(joined, { title, said: `${step} is deleted, and its routes are reconnected` });
      // Selects the preceding step.
      if (isGone) draft.selected.value = before === step ? undefined : before;
    },
    onCopy(step) {
      const copied = copySteps(textNow(), [step], verbs);
      if (typeof copied === 'string') return copied;
      refuse(copied);
      return undefined;
    },
    onPaste(pasted, after) {
      const found = pasteSteps(textNow(), pasted, verbs, after);
      if (isRefusal(found)) {
        refuse(found);
        return;
      }
      const names = [...found.names.values()];
      const pastedSteps = names.join(', ');
      if (made(found.edits, { title: `paste ${pastedSteps}`, said: `${pastedSteps} pasted` })) {
        draft.selected.value = names[0];
      }
    },
  };
}

function refuse({ refused, hint }: EditRefusal): void {
  tell(hint === undefined ? refused : `${refused}: ${hint}`, true);
}

/** Smallest definition of a step; the check reports missing arguments. */
function firstOf(verb: string, { short, schema }: LanguageVerb): JsonObject {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  if (short !== undefined) return { [verb]: schema.properties?.[short]?.default ?? '' };
  if (schema.type === 'array') return { [verb]: [] };
  return {
    [verb]: Object.fromEntries(required.map((name) => [name, schema.properties?.[name]?.properties ? {} : ''])),
  };
}

/** Dialog for the prompts of a step. */
function askForWords({ draft, language, asked, goTo }: EditorParts, step: string, made: MakeEdits): void {
  const words = spokenWords(draft.text.peek(), step, language.verbs);
  if (words.length === 0) {
    // Prompts that are files or expressions are edited in the text.
    const found = definitionOf(draft.names.peek(), { kind: 'step', name: step });
    if (found !== undefined) goTo({ from: found.from, to: found.from });
    return;
  }
  asked.value = {
    what: 'texts',
    title: `What callers hear in ${step}`,
    fields: words.map(({ label, text }) => ({ label, value: text })),
    action: 'Change',
    take: (texts) => {
      const changes = words.map(({ path }, index) => ({ path, text: texts[index]! }));
      made(changeWords(draft.text.peek(), changes), {
        title: `change words of ${step}`,
        said: `The words of ${step} are changed`,
      });
    },
  };
}

/** Dialog for `F2` and `r`: renames the step everywhere in the flow. */
export function askForName({ draft, language, text, asked }: EditorParts, step: string): void {
  const taken = draft.graph.steps.map(({ name }) => name);
  asked.value = {
    what: 'word',
    title: `Rename ${step} everywhere`,
    label: 'New name',
    value: step,
    action: 'Rename',
    refuse: (name) =>
      name !== step && taken.includes(name)
        ? `There is a step ${name} already`
        : STEP_NAME.test(name)
          ? undefined
          : 'A name has letters, digits, _ and -, and does not begin with a digit',
    take: (name) => {
      if (name === step) return;
      const edits = renameStep(draft.text.peek(), { from: step, to: name }, language.verbs);
      if (isRefusal(edits)) {
        refuse(edits);
        return;
      }
      text.current?.change(edits, `rename ${step}`);
      draft.renames.push({ from: step, to: name });
      draft.selected.value = name;
      announce(`${step} is now ${name}`);
    },
  };
}
