import { list, mapIn } from '../../language/steps/arguments.ts';
import { defineStep, type NamedOutcome, namedOutcome } from '../../language/steps/step.ts';
import type { BranchOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<Record<string, never>, BranchOutcome>({
  verb: 'branch',
  async run(context) {
    for (const { outcome, when } of casesOf(context.args)) {
      if (when === undefined || (await context.test(when))) return { outcome };
    }
    return { outcome: 'else' };
  },
});

interface Case {
  /** The case's name, by default its position (`case.1` …); `else` for the case without a condition. */
  outcome: 'else' | NamedOutcome;
  when?: string;
}

const casesOf = (args: unknown): Case[] =>
  list(args).map((written, index): Case => {
    const { when, name = `case.${index + 1}` } = mapIn(written);
    return when === undefined ? { outcome: 'else' } : { outcome: namedOutcome(String(name)), when: String(when) };
  });
