import { quoting } from '../../base/core/diagnostic.ts';
import { parseDuration } from '../../base/core/duration.ts';
import { valueIssue } from '../../base/schema/document.ts';
import { defaultAt } from '../../language/flow/verb-facts.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

export const lint: VerbLint = {
  *check({ argsPointer, spec }, args) {
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

const msOf = (written: unknown): number | undefined =>
  typeof written === 'string' ? parseDuration(written) : undefined;
