/** Random selections of steps of all flows with tests, and their extraction. */
import fc from 'fast-check';
import { parse } from 'yaml';
import type { JsonObject } from '../../../src/base/core/json.ts';
import { applyEdits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { extractSteps } from '../../../src/language/flow/text/extract-flow.ts';
import { comparedIn } from '../../../src/language/flow/text/extract-in-test.ts';
import { rewrite } from '../../../src/language/flow/text/rewrite.ts';
import { LANGUAGE, play, type TestedFlow, testedFlows } from './extracted-calls.ts';

/** Text of a test without one of its expectations. */
export function withoutExpected(text: string, key: string): string {
  const expected = (parse(text) as { expect?: JsonObject }).expect ?? {};
  if (expected[key] === undefined) return text;
  const isAlone = Object.keys(expected).length === 1;
  const edits = rewrite(text, [{ do: 'remove', path: isAlone ? ['expect'] : ['expect', key] }]);
  if (isRefusal(edits)) throw new Error(edits.refused);
  return applyEdits(text, edits);
}

/** A call that ends inside of a local flow leaves the variables of the calling flow as they were. */
const flows = testedFlows().map((flow) => ({
  ...flow,
  tests: flow.tests.map(({ file, text }) => ({
    file,
    text: withoutExpected(text, 'vars'),
    compared: comparedIn(parse(text)),
  })),
}));
const stepsOf = ({ text }: TestedFlow): string[] => Object.keys((parse(text) as JsonObject)['steps'] as JsonObject);

/** A flow, and some of its steps that follow one another in the text. */
export const selection = fc.constantFrom(...flows).chain((flow) =>
  fc.record({
    flow: fc.constant(flow),
    steps: fc
      .nat(stepsOf(flow).length - 1)
      .chain((first) => fc.integer({ min: 1, max: 5 }).map((count) => stepsOf(flow).slice(first, first + count))),
  }),
);

const played = new Map<string, ReturnType<typeof play>>();
/** Call of a test on the flow as it is, which is played once. */
export function playedBefore(flow: TestedFlow, test: TestedFlow['tests'][number]): ReturnType<typeof play> {
  const known = played.get(test.file) ?? play(flow, flow.text, test);
  played.set(test.file, known);
  return known;
}

export function extracted({ text, tests }: (typeof flows)[number], steps: readonly string[]) {
  const compared = tests.flatMap((test) => test.compared);
  const order = { language: LANGUAGE, name: 'extracted_part', compared };
  const made = extractSteps(text, { ...order, steps });
  if (!('problems' in made) || made.closure === undefined) return made;
  return extractSteps(text, { ...order, steps: made.closure });
}
