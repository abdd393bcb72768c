/**
 * Adds the step that a person has chosen in the list of steps (`picker/`). A step with answers of the person is checked
 * by the service before it is written, so that the flow is sound after every act.
 */
import type { Diagnostic } from '../../../../base/core/diagnostic.ts';
import type { Json } from '../../../../base/core/json.ts';
import { applyEdits, isRefusal } from '../../../../language/flow/text/edits.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { checkFlow } from '../flow-api.ts';
import type { AddRequest, ChosenStep } from '../picker/choice.ts';
import { WORDS } from '../picker/words.ts';
import { announce, tell } from '../shell/messages.tsx';
import { boundWords } from '../text/close-loop.ts';
import { firstArguments } from '../text/first-arguments.ts';
import { type Inserted, insertStep } from '../text/insert-step.ts';
import { insertTemplate } from '../text/insert-template.ts';
import type { StepTemplate } from '../text/step-template.ts';
import { turnStep } from '../text/turn-step.ts';
import type { EditorParts } from './editor-parts.ts';

/** Findings that a new step may have: it is written later, or leaves others unreachable as the person has chosen. */
const EXPECTED = ['todo', 'unreachable-step'];

const CHANGED = (): string => t('The flow has changed in the meantime');

/** Returns why the step cannot be added. */
export async function addChosen(
  parts: EditorParts,
  { at, turns }: AddRequest,
  { verb, answers, says, dropped, isOn, template, later }: ChosenStep,
): Promise<string | undefined> {
  if (template !== undefined) return addTemplate(parts, at, template, answers);
  const { draft, language, text: handle, adding } = parts;
  const text = draft.text.peek();
  const args = says === undefined ? firstArguments(language.verbs[verb]!, answers) : spoken(says);
  const made =
    turns === undefined
      ? insertStep(text, {
          ...{ verb, args, language: language.verbs, flow: draft.name },
          ...(at !== undefined && { at }),
          ...(dropped !== undefined && { dropped }),
          ...(later !== undefined && { later }),
        })
      : turnStep(text, { step: turns, verb, args, language: language.verbs });
  if (isRefusal(made)) return made.hint === undefined ? made.refused : `${made.refused}: ${made.hint}`;
  const refused = answers.length === 0 ? undefined : await newError(parts, text, applyEdits(text, made.edits));
  if (refused !== undefined) return refused;
  if (draft.text.peek() !== text) return CHANGED();
  handle.current?.change(made.edits, t('add {name}', { name: made.name }));
  const said = turns === undefined ? WORDS.added(made.name, at?.step, made.next) : WORDS.turned(turns);
  announce(said);
  if (made.broken !== undefined) tell(WORDS.ifBroken(made.broken));
  draft.selected.value = made.name;
  adding.value = isOn ? after(parts, made) : undefined;
  return undefined;
}

/** Adds the steps of a template, as one undo. Returns why they cannot be added. */
async function addTemplate(
  parts: EditorParts,
  at: AddRequest['at'],
  template: StepTemplate,
  answers: readonly string[],
): Promise<string | undefined> {
  const { draft, language, text: handle, adding } = parts;
  const text = draft.text.peek();
  const title = t(template.name);
  const made = insertTemplate(text, { template, answers, at, title, language: language.verbs, flow: draft.name });
  if (isRefusal(made)) return made.hint === undefined ? made.refused : `${made.refused}: ${made.hint}`;
  const refused = answers.length === 0 ? undefined : await newError(parts, text, made.text);
  if (refused !== undefined) return refused;
  if (draft.text.peek() !== text) return CHANGED();
  handle.current?.change(made.edits, t('add {name}', { name: title }));
  announce(WORDS.addedSteps(title, made.names.size));
  for (const bound of made.bounds) tell(boundWords(bound));
  draft.selected.value = made.entry;
  adding.value = undefined;
  return undefined;
}

/** A prompt of one word would be a key. */
const spoken = (words: string): Json => (/\s/.test(words) ? words : { prompt: { text: words } });

/** Place after the new step: its exit that continues the call. Undefined if it ends the call. */
function after({ draft }: EditorParts, { name }: Inserted): AddRequest | undefined {
  const exit = draft.graph.steps.find((step) => step.name === name)?.exits[0];
  return exit === undefined ? undefined : { at: { step: name, outcome: exit.outcome } };
}

/** Message of the first error that the new text has and the old one has not. */
async function newError({ draft }: EditorParts, before: string, after: string): Promise<string | undefined> {
  const { signal } = new AbortController();
  const check = async (text: string): Promise<Diagnostic[]> =>
    (await checkFlow(draft.name, text, crypto.randomUUID(), signal)).diagnostics;
  const [known, found] = await Promise.all([check(before), check(after)]);
  const isKnown = ({ code, message }: Diagnostic): boolean =>
    known.some((each) => each.code === code && each.message === message);
  const error = found.find((each) => each.severity === 'error' && !EXPECTED.includes(each.code) && !isKnown(each));
  if (error === undefined) return undefined;
  return error.hint === undefined ? error.message : `${error.message}: ${error.hint}`;
}
