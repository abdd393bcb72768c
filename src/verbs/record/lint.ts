import { quoting } from '../../base/core/diagnostic.ts';
import { parseDuration } from '../../base/core/duration.ts';
import { type Issue, valueIssue } from '../../base/schema/document.ts';
import type { FlowDraft, StepDraft } from '../../language/flow/flow-draft.ts';
import { keysAt, saidTexts, wrongKeys } from '../../language/flow/said/said-prompts.ts';
import { defaultAt } from '../../language/flow/verb-facts.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

export const lint: VerbLint = {
  *check(step, args, draft) {
    const { argsPointer, spec } = step;
    yield* wrongEnd(step, draft);
    const longestMs = msOf(args['max_length']) ?? msOf(defaultAt(spec.verb, '/max_length')) ?? Number.POSITIVE_INFINITY;
    for (const key of ['end_silence', 'min_length']) {
      const writtenMs = msOf(args[key]);
      if (writtenMs === undefined || writtenMs < longestMs) continue;
      const message = quoting`${key} is not shorter than the longest recording`;
      yield valueIssue(
        'odd-time',
        `${argsPointer}/${key}`,
        message,
        quoting`shorten it, or set a longer ${'max_length'}`,
      );
    }
  },
};

/** Any of the keys ends the recording. */
function* wrongEnd(step: StepDraft, draft: FlowDraft): Generator<Issue> {
  const keys = keysAt(step, ['/terminator']).flatMap(({ key, argument }) =>
    key.length === 1 ? [{ key, argument }] : [...key].map((each) => ({ key: each })),
  );
  yield* wrongKeys(step, draft, { texts: saidTexts(step, ['/prompt'], draft), keys });
}

const msOf = (written: unknown): number | undefined =>
  typeof written === 'string' ? parseDuration(written) : undefined;
