/** Extraction of steps of all flows of the repository: their tests pass as before, and calls do the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../../src/base/core/json.ts';
import { applyEdits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { extractSteps } from '../../../src/language/flow/text/extract-flow.ts';
import { comparedIn, extractInTest } from '../../../src/language/flow/text/extract-in-test.ts';
import { rewrite } from '../../../src/language/flow/text/rewrite.ts';
import { rounds } from '../../rounds.ts';
import { doneIn, errorsIn, LANGUAGE, play, type TestedFlow, testedFlows } from './extracted-calls.ts';

/** A call that ends inside of a local flow leaves the variables of the calling flow as they were. */
const withoutVariables = (text: string): string => {
  if (comparedIn(parse(text)).length === 0) return text;
  const isAlone = Object.keys((parse(text) as JsonObject)['expect'] as JsonObject).length === 1;
  const edits = rewrite(text, [{ do: 'remove', path: isAlone ? ['expect'] : ['expect', 'vars'] }]);
  if (isRefusal(edits)) throw new Error(edits.refused);
  return applyEdits(text, edits);
};

const flows = testedFlows().map((flow) => ({
  ...flow,
  tests: flow.tests.map(({ file, text }) => ({
    file,
    text: withoutVariables(text),
    compared: comparedIn(parse(text)),
  })),
}));
const stepsOf = ({ text }: TestedFlow): string[] => Object.keys((parse(text) as JsonObject)['steps'] as JsonObject);

/** A flow, and some of its steps that follow one another in the text. */
const selection = fc.constantFrom(...flows).chain((flow) =>
  fc.record({
    flow: fc.constant(flow),
    steps: fc
      .nat(stepsOf(flow).length - 1)
      .chain((first) => fc.integer({ min: 1, max: 5 }).map((count) => stepsOf(flow).slice(first, first + count))),
  }),
);

const played = new Map<string, ReturnType<typeof play>>();
/** Call of a test on the flow as it is, which is played once. */
function playedBefore(flow: TestedFlow, test: TestedFlow['tests'][number]): ReturnType<typeof play> {
  const known = played.get(test.file) ?? play(flow, flow.text, test);
  played.set(test.file, known);
  return known;
}

function extracted({ text, tests }: (typeof flows)[number], steps: readonly string[]) {
  const compared = tests.flatMap((test) => test.compared);
  const order = { language: LANGUAGE, name: 'extracted_part', compared };
  const made = extractSteps(text, { ...order, steps });
  if (!('problems' in made) || made.closure === undefined) return made;
  return extractSteps(text, { ...order, steps: made.closure });
}

describe('extraction', () => {
  it('changes no call of any flow with tests', { timeout: 120_000 }, async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(selection, async ({ flow, steps }) => {
        const made = extracted(flow, steps);
        if ('problems' in made) return;
        count += 1;
        const text = applyEdits(flow.text, made.edits);
        expect(errorsIn(flow, text)).toEqual(errorsIn(flow, flow.text));
        for (const line of flow.text.split('\n').filter((each) => /^\s*#/.test(each)))
          expect(text).toContain(line.trim());
        const runsOthers = /(?:subflow|for_each|continue|parallel|queue):/.test(flow.text);
        for (const test of flow.tests) {
          const edits = extractInTest(test.text, { flow: flow.name, made, runsOthers });
          if (isRefusal(edits)) throw new Error(edits.refused);
          const before = await playedBefore(flow, test);
          const after = await play(flow, text, { ...test, text: applyEdits(test.text, edits) });
          expect(after.failures).toEqual(before.failures);
          expect(doneIn(after.journal)).toEqual(doneIn(before.journal));
        }
      }),
      { numRuns: rounds(25) },
    );
    expect(count).toBeGreaterThan(3);
  });
});
