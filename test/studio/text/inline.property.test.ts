/** Extraction of steps of all flows of the repository, and the way back: calls do the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { inlineStep } from '../../../src/language/flow/text/inline-flow.ts';
import { rounds } from '../../rounds.ts';
import { doneIn, errorsIn, LANGUAGE, play } from './extracted-calls.ts';
import { extracted, playedBefore, selection, withoutExpected } from './extracted-selection.ts';

describe('extraction and the way back', () => {
  it('changes no call of any flow with tests', { timeout: 120_000 }, async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(selection, async ({ flow, steps }) => {
        const made = extracted(flow, steps);
        if ('problems' in made) return;
        const text = applyEdits(flow.text, made.edits);
        const back = inlineStep(text, { step: made.call, language: LANGUAGE });
        if (isRefusal(back)) {
          if (process.env['SHOW']) console.log(flow.name, steps, back);
          return;
        }
        count += 1;
        const after = applyEdits(text, back.edits);
        expect(errorsIn(flow, after)).toEqual(errorsIn(flow, flow.text));
        for (const line of flow.text.split('\n').filter((each) => /^\s*#/.test(each)))
          expect(after).toContain(line.trim());
        for (const test of flow.tests) {
          // Steps that assign are new in the path.
          const alike = { ...test, text: withoutExpected(test.text, 'path') };
          const before = await playedBefore(flow, test);
          const now = await play(flow, after, alike);
          expect(doneIn(now.journal)).toEqual(doneIn(before.journal));
          if (before.failures.length === 0) expect(now.failures).toEqual([]);
        }
      }),
      { numRuns: rounds(20) },
    );
    expect(count).toBeGreaterThan(3);
  });
});
