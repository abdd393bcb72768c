/** Lets the caller choose one of several things, by keys or by words. Neighbours: `menu.ts`, `menu-items.ts`. */
import { ask } from './ask.ts';
import type { CallerInput, DigitsStatus } from './ask-attempt.ts';
import { type Choices, listenOptions, spokenChoice } from './spoken-answer.ts';
import type { StepContext, StepResult, Waiting } from './step.ts';
import type { MenuArgs } from './step-arguments.ts';

/** Choices by name: by which keys, and by which phrases. */
export interface Offer {
  byKeys: ReadonlyMap<string, string>;
  phrases: Choices;
}

/** What the caller chooses, or the outcome of a step in which nothing was chosen. */
export async function* choose(
  context: StepContext,
  args: MenuArgs,
  { byKeys, phrases }: Offer,
): Waiting<{ choice: string; answer: CallerInput } | StepResult> {
  const keys = [...byKeys.keys()];
  const check = (typed: string): DigitsStatus => {
    const isLonger = keys.some((key) => key !== typed && key.startsWith(typed));
    if (byKeys.has(typed)) return isLonger ? 'enough' : 'complete';
    return isLonger ? 'more' : 'wrong';
  };
  const hints = [...phrases.values()].flat();
  const answer = yield* ask(context, {
    args,
    claims: keys.join(''),
    terminator: '',
    check,
    ...((phrases.size > 0 || args.speech) && {
      speech: {
        options: listenOptions(context, args, hints),
        accepts: (said) => spokenChoice(said, phrases) !== undefined,
      },
    }),
  });
  if ('outcome' in answer) return answer;
  return { choice: 'digits' in answer ? byKeys.get(answer.digits)! : spokenChoice(answer.speech, phrases)!, answer };
}
