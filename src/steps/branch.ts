import { isObject, type Json } from '../core/json.ts';
import { list, text } from './arguments.ts';
import { defineStep } from './step.ts';

export const branch = defineStep({
  verb: 'branch',
  outcomes: (args) => casesOf(args).map(({ outcome }) => outcome),
  expressions: ['/*/when'],
  inlineExits: (args) =>
    Object.fromEntries(casesOf(args).flatMap(({ outcome, next }) => (next ? [[outcome, next]] : []))),
  async run(context) {
    for (const { outcome, when } of casesOf(context.args)) {
      if (when === undefined || (await context.test(when))) return { outcome };
    }
    return { outcome: 'else' };
  },
});

interface Case {
  /** `case.1` … in the order written, or the name given; the last one is `else`. */
  outcome: string;
  when?: string;
  next?: string;
}

function casesOf(args: Json): Case[] {
  return list(args).flatMap((written, index): Case[] => {
    if (!isObject(written)) return [];
    if (written['when'] === undefined) return [{ outcome: 'else', next: text(written['else']) }];
    return [
      { outcome: text(written['name'], `case.${index + 1}`), when: text(written['when']), next: text(written['next']) },
    ];
  });
}
