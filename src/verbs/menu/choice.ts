/** Asks the caller to select a choice by key or by speech. Used by `step.ts` and `items.ts`. */
import { ask, type CallerInput, type DigitsStatus, type Exhausted } from '../../language/steps/ask.ts';
import { type Choices, listenOptions, spokenChoice } from '../../language/steps/spoken-answer.ts';
import type { StepContext, Waiting } from '../../language/steps/step.ts';
import type { MenuArgs } from '../../language/steps/verb-types.ts';

/** Names of the choices, by key and by phrase. */
export interface Offer {
  byKeys: ReadonlyMap<string, string>;
  phrases: Choices;
}

/** Returns the choice, or the outcome of the step if the caller made none. */
export async function* choose(
  context: StepContext,
  args: MenuArgs,
  { byKeys, phrases }: Offer,
): Waiting<{ choice: string; answer: CallerInput } | Exhausted> {
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
