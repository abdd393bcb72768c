import { quoting } from '../../core/diagnostic.ts';
import type { FlowDraft, StepDraft } from '../../flow/flow-draft.ts';
import { timezone } from '../../flow/lint-schedules.ts';
import type { VerbLint } from '../../flow/verb-lint.ts';
import { type Issue, valueIssue } from '../../schema/document.ts';
import { didYouMean } from '../../schema/suggest.ts';

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
