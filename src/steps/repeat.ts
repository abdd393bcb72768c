import { isObject, type Json } from '../core/json.ts';
import { count, text } from './arguments.ts';
import { defineStep } from './step.ts';

export const repeat = defineStep({
  verb: 'repeat',
  outcomes: () => ['done', 'limit'],
  inlineExits: (args: Json): Record<string, string> =>
    isObject(args) && args['do'] !== undefined ? { done: text(args['do']) } : {},
  async run({ input, count: entered }) {
    const times = isObject(input) ? count(input['times'], 1) : 1;
    return { outcome: entered > times ? 'limit' : 'done', result: { round: entered } };
  },
});
