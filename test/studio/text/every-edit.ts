/** Every edit, on the flow of `manners.ts`. */
import { type Edits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import * as rename from '../../../src/language/flow/text/rename.ts';
import { copySteps } from '../../../src/pages/studio/web/text/clipboard.ts';
import * as edit from '../../../src/pages/studio/web/text/edit.ts';
import { pasteSteps } from '../../../src/pages/studio/web/text/paste-steps.ts';
import { language } from '../graph/flows.ts';
import * as plain from './plain-edits.ts';

const step = { play: 'Three, four.' };

export const everyEdit: Readonly<Record<string, (text: string) => Edits>> = {
  'lead an exit elsewhere': (text) => edit.retarget(text, { step: 'ask', outcome: 'one', target: 'sorry', language }),
  'lead on elsewhere': (text) => edit.retarget(text, { step: 'first', outcome: 'done', target: 'ask', language }),
  'route a new outcome': (text) => edit.retarget(text, { step: 'ask', outcome: 'two', target: 'first', language }),
  'give a step its first exits': (text) =>
    edit.retarget(text, { step: 'first', outcome: 'error', target: 'ask', language }),
  'change what several outcomes share': (text) =>
    edit.retarget(text, { step: 'ask', outcome: 'exhausted.no_input', target: 'first', language }),
  'give one of them an exit of its own': (text) =>
    edit.retarget(text, { step: 'ask', outcome: 'exhausted.no_input', target: 'first', language, narrow: true }),
  'take an exit off': (text) => edit.removeExit(text, { step: 'ask', outcome: 'one', language }),
  'add a step behind an exit': (text) =>
    plain.addStep(text, { name: 'third', step, after: 'ask', outcome: 'two', language }),
  'add a step on a way': (text) =>
    plain.insertStep(text, { name: 'third', step, after: 'first', outcome: 'done', language }),
  'add a step at the end': (text) => plain.addStep(text, { name: 'third', step, language }),
  'remove a step': (text) => plain.removeStep(text, 'first'),
  'remove the last step': (text) => plain.removeStep(text, 'sorry'),
  'join a step': (text) => plain.joinStep(text, { name: 'first', language }),
  'rename a step': (text) => rename.renameStep(text, { from: 'ask', to: 'question' }, language),
  'rename a step to a name with a dash': (text) =>
    rename.renameStep(text, { from: 'ask', to: 'the-question' }, language),
  'rename a step of many ways': (text) => rename.renameStep(text, { from: 'sorry', to: 'bye' }, language),
  'rename a choice': (text) => rename.renameOutcome(text, 'ask', { from: 'one', to: 'uno' }, language),
  'change a text': (text) => plain.setArgument(text, { step: 'first', path: ['play'], value: 'Well: one, it is' }),
  'change a word': (text) => plain.setArgument(text, { step: 'ask', path: ['menu', 'prompt'], value: 'what' }),
  'add an argument': (text) => plain.setArgument(text, { step: 'ask', path: ['menu', 'start_timeout'], value: '6s' }),
  'take an argument out': (text) =>
    plain.setArgument(text, { step: 'ask', path: ['menu', 'prompt'], value: undefined }),
  'begin elsewhere': (text) => edit.setStart(text, 'first'),
  'route an event': (text) => plain.setEvent(text, 'hangup', 'sorry'),
  'lead a default elsewhere': (text) => edit.setDefault(text, 'error', 'first'),
  'take the last default out': (text) => edit.setDefault(text, 'error', undefined),
  'add a prompt': (text) => edit.addPrompt(text, 'which', 'Which one, please?'),
  'copy two steps and paste them': (text) => {
    const copied = copySteps(text, ['ask', 'first'], language);
    const pasted = isRefusal(Object(copied)) ? copied : pasteSteps(text, copied as string, language, 'first');
    return typeof pasted === 'string' || isRefusal(pasted) ? (pasted as Edits) : pasted.edits;
  },
};
