import { fault } from '../core/fault.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { durationMs, list, longForm, text } from './arguments.ts';
import { defineStep } from './step.ts';

export const parallel = defineStep({
  verb: 'parallel',
  outcomes(args) {
    const written = isObject(args) ? args : {};
    return [
      'done',
      ...(decidingOutcomes(written) ?? []),
      ...(written['timeout'] === undefined ? [] : ['timeout']),
      'error',
    ];
  },
  success: 'done',
  waits: true,
  calls: (args) => branchesOf(args).map(({ flow }) => flow),
  async *run(context) {
    const args = isObject(context.input) ? context.input : {};
    const branches = branchesOf(args);
    for (const { name, flow, input } of branches) {
      const failure = await context.startBranch(name, flow, input);
      if (failure) return { outcome: 'error', fault: failure };
    }
    const decide = decidingOutcomes(args);
    const dueMs = args['timeout'] === undefined ? undefined : context.now() + durationMs(args['timeout'], 0);
    const returned: JsonObject = {};
    let broken: string | undefined;
    while (Object.keys(returned).length < branches.length) {
      const event = yield dueMs === undefined ? {} : { withinMs: Math.max(0, dueMs - context.now()) };
      if (event.type === 'timeout') return { outcome: 'timeout', result: { branches: returned } as JsonObject };
      if (event.type !== 'branch_returned') continue;
      const { branch, outcome, output } = event;
      returned[branch] = { outcome, output };
      if (outcome === 'error') broken ??= branch;
      // What broke decides nothing while others may still succeed.
      else if (decide) {
        const result: JsonObject = { first: branch, branches: returned };
        return { outcome: decide.includes(outcome) ? outcome : 'done', result };
      }
    }
    const result: JsonObject = { branches: returned };
    if (broken === undefined) return { outcome: 'done', result };
    return { outcome: 'error', result, fault: fault('branch_failed', `the branch ${broken} broke`) };
  },
});

/** With `until: first`, the outcomes that the first flow to end may give to the step. */
const decidingOutcomes = (args: JsonObject): string[] | undefined =>
  args['until'] === 'first' ? list(args['outcomes']).map(String) : undefined;

function branchesOf(args: Json): { name: string; flow: string; input: JsonObject }[] {
  const branches = isObject(args) && isObject(args['branches']) ? Object.entries(args['branches']) : [];
  return branches.map(([name, written]) => {
    const { flow, input } = longForm(written, 'flow');
    return { name, flow: text(flow), input: isObject(input) ? input : {} };
  });
}
