import { isObject, type Json } from '../core/json.ts';
import { type Answer, ask, type Reading } from './ask.ts';
import { setback } from './collect.ts';
import { chosenBy, listenOptions, phrasesOf } from './speech.ts';
import { defineStep, ENDS_PROMPT, type StepResult } from './step.ts';

export const menu = defineStep({
  verb: 'menu',
  occupies: 'prompt',
  givesWay: { to: ENDS_PROMPT, outcomes: ['error'] },
  outcomes: (args) => [...namesOf(args), 'exhausted.no_input', 'exhausted.no_match', 'error'],
  waits: true,
  media: true,
  needsCall: true,
  prompts: ['/prompt', '/no_input', '/no_match'],
  async *run(context) {
    const args = isObject(context.input) ? context.input : {};
    const choices = keysOf(args);
    const keys = [...choices.keys()];
    const phrases = phrasesOf(args['choices']);
    const read = (typed: string): Reading => {
      const longer = keys.some((key) => key !== typed && key.startsWith(typed));
      if (choices.has(typed)) return longer ? 'enough' : 'complete';
      return longer ? 'more' : 'wrong';
    };
    const listens = phrases.size > 0 || isObject(args['speech']);
    const answer = yield* ask(context, {
      args,
      claims: keys.join(''),
      terminator: '',
      read,
      ...(listens
        ? {
            speech: {
              options: listenOptions(context, args, [...phrases.values()].flat()),
              fits: (said: string) => chosenBy(said, phrases) !== undefined,
            },
          }
        : {}),
    });
    return answer.how === 'matched' ? chosen(answer, choices, phrases) : setback(answer);
  },
});

function chosen(
  { input }: Extract<Answer, { how: 'matched' }>,
  choices: ReadonlyMap<string, string>,
  phrases: ReadonlyMap<string, readonly string[]>,
): StepResult {
  const choice = 'digits' in input ? choices.get(input.digits)! : chosenBy(input.speech, phrases)!;
  return { outcome: choice, result: { choice, ...input } };
}

const writtenChoices = (args: Json): [string, Json][] =>
  isObject(args) && isObject(args['choices']) ? Object.entries(args['choices']) : [];

const namesOf = (args: Json): string[] => writtenChoices(args).map(([name]) => name);

/** Keys → name of the choice. */
function keysOf(args: Json): Map<string, string> {
  return new Map(
    writtenChoices(args).flatMap(([name, choice]): [string, string][] => {
      const keys = isObject(choice) ? choice['dtmf'] : undefined;
      return typeof keys === 'string' ? [[keys, name]] : [];
    }),
  );
}
