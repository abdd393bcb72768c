import { quoting } from '../../base/core/diagnostic.ts';
import { type Issue, valueIssue } from '../../base/schema/document.ts';
import { didYouMean } from '../../base/schema/suggest.ts';
import type { FlowDraft, StepDraft } from '../../language/flow/flow-draft.ts';
import { timezone } from '../../language/flow/lint-schedules.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

export const lint: VerbLint = {
  *check(step, _, draft) {
    const { args } = step.compiled;
    if (typeof args === 'string') yield* named(args, step, draft);
    else yield* timezone(args, step.argsPointer);
  },
};

function* named(name: string, { argsPointer }: StepDraft, draft: FlowDraft): Generator<Issue> {
  const own = Object.keys(draft.flow.schedules);
  const { schedules } = draft.options;
  if (own.includes(name) || schedules?.includes(name)) return;
  if (schedules === undefined) {
    // The name may be a schedule of the configuration, unless a schedule of the flow has a similar name.
    const near = didYouMean(name, own);
    const message = quoting`the flow has no schedule ${name}`;
    if (near) yield valueIssue('misspelt-schedule', argsPointer, message, near);
    return;
  }
  const hint = didYouMean(name, [...own, ...schedules]) ?? 'add it under schedules';
  yield valueIssue('unknown-schedule', argsPointer, quoting`there is no schedule ${name}`, hint);
}
