import { quoting } from '../../base/core/diagnostic.ts';
import { isObject } from '../../base/core/json.ts';
import { childPointer, valueIssue } from '../../base/schema/document.ts';
import { calledFlow } from '../../language/flow/called-flows.ts';
import { literalOf } from '../../language/flow/routes.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

/** Checks that the flows of the branches exist, and that at most one of them speaks to the caller. */
export const lint: VerbLint = {
  *check({ argsPointer }, { branches: written }, draft) {
    const { knownFlows } = draft.options;
    if (!isObject(written) || knownFlows === undefined) return;
    let heard: string | undefined;
    for (const [name, branch] of Object.entries(written)) {
      const flow = literalOf(branch, 'flow');
      if (flow === undefined) continue;
      const at = childPointer(`${argsPointer}/branches`, name);
      const pointer = isObject(branch) ? `${at}/flow` : at;
      const summary = knownFlows.get(flow);
      yield* calledFlow(flow, draft, pointer);
      if (!summary?.speaks) continue;
      if (heard === undefined) heard = name;
      else {
        const message = quoting`${heard} and ${name} both speak to the caller, at the same time`;
        yield valueIssue('both-heard', pointer, message, 'let one of them speak, and the others work');
      }
    }
  },
};
