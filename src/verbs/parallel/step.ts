import { FaultError, fault } from '../../base/core/fault.ts';
import type { JsonObject } from '../../base/core/json.ts';
import { durationMs, list, mapIn } from '../../language/steps/arguments.ts';
import { defineStep, namedOutcome, type Written } from '../../language/steps/step.ts';
import type { ParallelArgs, ParallelOutcome } from '../../language/steps/verb-types.ts';
import { until } from '../../language/steps/waiting.ts';

type WrittenArgs = Written<ParallelArgs>;

export const step = defineStep<ParallelArgs, ParallelOutcome>({
  verb: 'parallel',
  calls: (args) => branchesOf(args).map(({ flow }) => flow),
  async *run(context) {
    const { input } = context;
    const branches = branchesOf(input);
    for (const { name, flow, input: given } of branches) {
      const failure = context.startBranch(name, flow, given);
      if (failure) throw new FaultError(failure);
    }
    const deciding = decidingOutcomes(input);
    const dueMs = input.timeout === undefined ? undefined : context.now() + durationMs(input.timeout);
    const returned: JsonObject = {};
    let failed: string | undefined;
    while (Object.keys(returned).length < branches.length) {
      const event = yield until(context, dueMs);
      if (event.type === 'timeout') return { outcome: 'timeout', result: { branches: returned } };
      if (event.type !== 'branch_returned') continue;
      const { branch, outcome, output } = event;
      returned[branch] = { outcome, output };
      // A branch that failed decides nothing while others may still succeed.
      if (outcome === 'error') failed ??= branch;
      else if (deciding) {
        const result = { first: branch, branches: returned };
        return { outcome: deciding.includes(outcome) ? namedOutcome(outcome) : 'done', result };
      }
    }
    const result = { branches: returned };
    if (failed === undefined) return { outcome: 'done', result };
    return { outcome: 'error', result, fault: fault('branch_failed', `the branch ${failed} broke`) };
  },
});

/** With `until: first`, outcomes of the first branch to end that become the outcome of the step. */
const decidingOutcomes = ({ until: when, outcomes }: WrittenArgs): string[] | undefined =>
  when === 'first' ? list(outcomes).map(String) : undefined;

function branchesOf({ branches }: WrittenArgs): { name: string; flow: string; input: JsonObject }[] {
  return Object.entries(mapIn(branches)).map(([name, written]) => {
    const { flow = '', input } = typeof written === 'string' ? { flow: written } : mapIn(written);
    return { name, flow: String(flow), input: mapIn(input) };
  });
}
