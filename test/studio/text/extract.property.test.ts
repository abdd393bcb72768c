/** Extraction of steps of all flows of the repository: their tests pass as before, and calls do the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { extractInTest } from '../../../src/language/flow/text/extract-in-test.ts';
import { rounds } from '../../rounds.ts';
import { doneIn, errorsIn, play } from './extracted-calls.ts';
import { extracted, playedBefore, selection } from './extracted-selection.ts';

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
