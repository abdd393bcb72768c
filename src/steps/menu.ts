import { mapIn } from './arguments.ts';
import { ask } from './ask.ts';
import type { DigitsStatus } from './ask-attempt.ts';
import { type Choices, listenOptions, spokenChoice } from './spoken-answer.ts';
import { COMMANDS_ENDING_PROMPTS, defineStep } from './step.ts';
import type { MenuArgs } from './step-arguments.ts';

export const menu = defineStep<MenuArgs>({
  verb: 'menu',
  activity: 'prompt',
  preemptedBy: { to: COMMANDS_ENDING_PROMPTS, outcomes: ['error'] },
  outcomes: ({ choices }) => [...Object.keys(mapIn(choices)), 'exhausted.no_input', 'exhausted.no_match', 'error'],
  media: true,
  prompts: ['/prompt', '/no_input', '/no_match'],
  async *run(context) {
    const { input } = context;
    const choices = Object.entries(input.choices);
    const byKeys = new Map(choices.flatMap(([name, { dtmf }]) => (dtmf === undefined ? [] : [[dtmf, name] as const])));
    const phrases: Choices = new Map(choices.flatMap(([name, { say }]) => (say === undefined ? [] : [[name, say]])));
    const keys = [...byKeys.keys()];
    const check = (typed: string): DigitsStatus => {
      const isLonger = keys.some((key) => key !== typed && key.startsWith(typed));
      if (byKeys.has(typed)) return isLonger ? 'enough' : 'complete';
      return isLonger ? 'more' : 'wrong';
    };
    const hints = [...phrases.values()].flat();
    const answer = yield* ask(context, {
      args: input,
      claims: keys.join(''),
      terminator: '',
      check,
      ...((phrases.size > 0 || input.speech) && {
        speech: {
          options: listenOptions(context, input, hints),
          accepts: (said) => spokenChoice(said, phrases) !== undefined,
        },
      }),
    });
    if ('outcome' in answer) return answer;
    const choice = 'digits' in answer ? byKeys.get(answer.digits)! : spokenChoice(answer.speech, phrases)!;
    return { outcome: choice, result: { choice, ...answer } };
  },
});
