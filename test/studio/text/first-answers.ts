/** Arguments of a new step of each verb, with the answers of a person. */
import { languageOf } from '../../../src/language/flow/language.ts';
import { firstArguments } from '../../../src/pages/studio/web/text/first-arguments.ts';
import { verbs } from '../../../src/verbs/steps.ts';

const language = languageOf(verbs).verbs;

/** Answers of a person, by question; the other questions propose an answer. */
const ANSWERS: Readonly<Record<string, string>> = {
  'Which AI agent?': 'support',
  'How much?': '49.90',
  'Which keys?': '12',
  'Which step to repeat?': '$start',
  'For each item of which list?': '${ [1, 2] }',
  'If what is true?': "call.from = '1'",
  'Which variable?': 'tier',
  'What value?': 'gold',
  'At which address?': 'https://a.example/x',
  'To which address?': 'wss://a.example/x',
  'Which flow?': 'other',
  'Which flow to run?': 'other',
  'Which flow talks to it?': 'other',
  'Which flow at the same time?': 'another',
  'Whom to call?': '+33612345678',
  'Whom to transfer to?': '+33612345678',
  'What is to be done here?': 'send the invoice',
};

/** `start`: the step that `repeat` repeats. */
export function argumentsOf(verb: string, start: string) {
  const asked = language[verb]!.picker!.asks ?? [];
  const answers = asked.map(({ question, value, hint }) => ANSWERS[question] ?? value ?? hint ?? 'support');
  return firstArguments(
    language[verb]!,
    answers.map((answer) => (answer === '$start' ? start : answer)),
  );
}
