import { list, mapIn } from './arguments.ts';
import { defineStep } from './step.ts';

export const branch = defineStep({
  verb: 'branch',
  outcomes: (_, raw) => casesOf(raw).map(({ outcome }) => outcome),
  expressions: ['/*/when'],
  inlineExits: (_, raw) =>
    Object.fromEntries(casesOf(raw).flatMap(({ outcome, next }) => (next ? [[outcome, next]] : []))),
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

const casesOf = (args: unknown): Case[] =>
  list(args).map((written, index): Case => {
    const { when, name = `case.${index + 1}`, next = '', else: otherwise = '' } = mapIn(written);
    if (when === undefined) return { outcome: 'else', next: String(otherwise) };
    return { outcome: String(name), when: String(when), next: String(next) };
  });
