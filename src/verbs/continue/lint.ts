import { isObject } from '../../base/core/json.ts';
import { valueIssue } from '../../base/schema/document.ts';
import { isThere, pathBack, wayText } from '../../language/flow/called-flows.ts';
import { literalOf } from '../../language/flow/routes.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

/**
 * Checks that the flow of a handover exists, and that flows which hand a call to each other wait for the caller in
 * between.
 */
export const lint: VerbLint = {
  *check({ argsPointer, compiled, spec }, _, draft) {
    const flow = literalOf(compiled.args, 'flow');
    if (flow === undefined) return;
    const pointer = isObject(compiled.args) ? `${argsPointer}/flow` : argsPointer;
    const { knownFlows } = draft.options;
    yield* isThere(flow, draft, pointer);
    const own = draft.summary.continues ?? [];
    const next = (name: string): string[] =>
      (name === draft.flow.name ? own : (knownFlows?.get(name)?.continues ?? [])).flatMap((each) =>
        each.waits ? [] : [each.flow],
      );
    const isAtOnce = own.some((each) => each.flow === flow && !each.waits);
    const way = isAtOnce ? pathBack(flow, draft.flow.name, next) : undefined;
    if (way === undefined) return;
    const message = `the flows ${spec.verb} with each other, and nothing on the way waits for the caller: ${wayText([draft.flow.name, ...way])}`;
    yield valueIssue('endless-handover', pointer, message, 'let the caller hear or choose something on the way');
  },
};
