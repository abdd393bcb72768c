/** Checks of the arguments of steps: those of each verb (`verbs/NAME/lint.ts`), and prompts of questions. */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type JsonObject } from '../../base/core/json.ts';
import { type Issue, keyIssue } from '../../base/schema/document.ts';
import { lints } from '../../verbs/lints.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { inputDefaultsOf } from './flow-shape.ts';

export function* lintSteps(draft: FlowDraft): Generator<Issue> {
  for (const step of draft.steps.values()) {
    const { verb } = step.spec;
    const { args } = step.compiled;
    yield* lints.get(verb)?.check(step, isObject(args) ? args : {}, draft) ?? [];
    if (inputDefaultsOf(verb).length > 0 && isObject(args)) yield* retryPrompts(step, args);
  }
}

/** 11 of 17 public flows of a large platform lacked one of these prompts. */
function* retryPrompts({ pointer, argsPointer, spec }: StepDraft, args: JsonObject): Generator<Issue> {
  if (args['attempts'] === 1) return;
  for (const [key, code, what] of [
    ['no_input', 'missing-no-input', 'says nothing'],
    ['no_match', 'missing-no-match', 'presses something else'],
  ] as const) {
    if (args[key] !== undefined) continue;
    const hint = `add ${key}: [ … ] to the ${spec.verb} of ${quoting`${pointer.slice('/steps/'.length)}`}, or to defaults.input`;
    yield keyIssue(code, argsPointer, `a caller who ${what} only hears the question again`, hint);
  }
}
