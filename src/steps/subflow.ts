import { isObject, type Json } from '../core/json.ts';
import { list, longForm } from './arguments.ts';
import { ANY_FLOW, defineStep } from './step.ts';
import { nextEvent } from './waiting.ts';

export const subflow = defineStep({
  verb: 'subflow',
  outcomes: (args: Json) => ['done', ...list(longForm(args, 'flow')['outcomes']).map(String), 'error'],
  success: 'done',
  waits: true,
  calls(args) {
    const name = longForm(args, 'flow')['flow'];
    return [typeof name === 'string' && !name.includes('${') ? name : ANY_FLOW];
  },
  async *run(context) {
    const args = longForm(context.input, 'flow');
    const flow = isObject(args['flow']) ? args['flow'] : String(args['flow']);
    const failure = await context.callFlow(flow, isObject(args['input']) ? args['input'] : {});
    if (failure) return { outcome: 'error', fault: failure };
    const { outcome, output } = yield* nextEvent('returned');
    return { outcome, result: output };
  },
});
