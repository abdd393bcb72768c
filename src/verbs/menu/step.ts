import { defineStep, namedOutcome } from '../../language/steps/step.ts';
import type { MenuArgs, MenuOutcome } from '../../language/steps/verb-types.ts';
import { choose, type Offer } from './choice.ts';
import { chooseItem } from './items.ts';

export const step = defineStep<MenuArgs, MenuOutcome>({
  verb: 'menu',
  async *run(context) {
    const offer = offerOf(context.input);
    if (context.input.each !== undefined) return yield* chooseItem(context, offer);
    const chosen = yield* choose(context, context.input, offer);
    if ('outcome' in chosen) return chosen;
    const { choice, answer } = chosen;
    return { outcome: namedOutcome(choice), result: { choice, ...answer } };
  },
});

function offerOf({ choices = {} }: MenuArgs): Offer {
  const named = Object.entries(choices);
  return {
    byKeys: new Map(named.flatMap(([name, { dtmf }]) => (dtmf === undefined ? [] : [[dtmf, name] as const]))),
    phrases: new Map(named.flatMap(([name, { say }]) => (say === undefined ? [] : [[name, say]]))),
  };
}
