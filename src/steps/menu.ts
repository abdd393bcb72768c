import { isObject, type Json } from '../core/json.ts';
import { text } from './arguments.ts';
import type { Reading } from './ask.ts';
import { ask } from './ask.ts';
import { setback } from './collect.ts';
import { defineStep } from './step.ts';

export const menu = defineStep({
  verb: 'menu',
  outcomes: (args) => [...choicesOf(args).values(), 'exhausted.no_input', 'exhausted.no_match', 'error'],
  waits: true,
  media: true,
  needsCall: true,
  prompts: ['/prompt', '/no_input', '/no_match'],
  async *run(context) {
    const choices = choicesOf(context.input);
    const keys = [...choices.keys()];
    const read = (typed: string): Reading => {
      const longer = keys.some((key) => key !== typed && key.startsWith(typed));
      if (choices.has(typed)) return longer ? 'enough' : 'complete';
      return longer ? 'more' : 'wrong';
    };
    const args = isObject(context.input) ? context.input : {};
    const answer = yield* ask(context, { args, claims: keys.join(''), terminator: '', read });
    if (answer.how !== 'matched') return setback(answer);
    const choice = choices.get(answer.digits)!;
    return { outcome: choice, result: { choice, digits: answer.digits } };
  },
});

/** Digits → name of the choice. */
function choicesOf(args: Json): Map<string, string> {
  const written = isObject(args) && isObject(args['choices']) ? args['choices'] : {};
  return new Map(
    Object.entries(written).map(([name, choice]) => [text(isObject(choice) ? choice['dtmf'] : choice), name]),
  );
}
