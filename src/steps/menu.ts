import { isObject, type Json } from '../core/json.ts';
import { type AskResult, ask, type DigitsStatus } from './ask.ts';
import { unansweredResult } from './collect.ts';
import { choicePhrases, listenOptions, spokenChoice } from './spoken-answer.ts';
import { COMMANDS_ENDING_PROMPTS, defineStep, type StepResult } from './step.ts';

export const menu = defineStep({
  verb: 'menu',
  activity: 'prompt',
  preemptedBy: { to: COMMANDS_ENDING_PROMPTS, outcomes: ['error'] },
  outcomes: (args) => [...namesOf(args), 'exhausted.no_input', 'exhausted.no_match', 'error'],
  waits: true,
  media: true,
  needsCall: true,
  prompts: ['/prompt', '/no_input', '/no_match'],
  async *run(context) {
    const args = isObject(context.input) ? context.input : {};
    const choices = keysOf(args);
    const keys = [...choices.keys()];
    const phrases = choicePhrases(args['choices']);
    const check = (typed: string): DigitsStatus => {
      const longer = keys.some((key) => key !== typed && key.startsWith(typed));
      if (choices.has(typed)) return longer ? 'enough' : 'complete';
      return longer ? 'more' : 'wrong';
    };
    const listens = phrases.size > 0 || isObject(args['speech']);
    const answer = yield* ask(context, {
      args,
      claims: keys.join(''),
      terminator: '',
      check,
      ...(listens
        ? {
            speech: {
              options: listenOptions(context, args, [...phrases.values()].flat()),
              accepts: (said: string) => spokenChoice(said, phrases) !== undefined,
            },
          }
        : {}),
    });
    return answer.how === 'matched' ? chosen(answer, choices, phrases) : unansweredResult(answer);
  },
});

function chosen(
  { input }: Extract<AskResult, { how: 'matched' }>,
  choices: ReadonlyMap<string, string>,
  phrases: ReadonlyMap<string, readonly string[]>,
): StepResult {
  const choice = 'digits' in input ? choices.get(input.digits)! : spokenChoice(input.speech, phrases)!;
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
