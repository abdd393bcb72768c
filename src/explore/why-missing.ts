/** Explains why no call reached an outcome, so that an untried outcome is not taken for an impossible one. */
import { isObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import { stepsWithoutErrors } from '../testkit/coverage.ts';

/** Outcomes that a simulated call of one caller does not reach, by verb. */
const NOT_TRIED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  conference: { full: 'only with max_members of 50 at most, and a name that is not made on the call' },
  join_room: {
    ended: 'only with a room_id that is not made on the call',
    left: 'only with a room_id that is not made on the call',
  },
  queue: { full: 'only with max_size of 50 at most, and a name that is not made on the call' },
  recording: { failed: 'simulated recordings do not fail' },
  stream: { failed: 'simulated streams do not fail' },
  transcribe: { failed: 'simulated transcripts do not fail' },
};

export function whyMissing(
  { step, outcome }: { step: string; outcome: string },
  flow: CompiledFlow,
  isBounded: boolean,
): string {
  const { verb, args } = flow.steps.get(step)!;
  const known = NOT_TRIED[verb]?.[outcome];
  if (known !== undefined) return known;
  const hasSchema = isObject(args) && args['returns'] !== undefined;
  if (verb === 'request' && outcome === 'failed.invalid' && !hasSchema)
    return 'no schema (returns) that an answer could fail';
  if (!stepsWithoutErrors(flow).has(step)) return 'only an error leads there, which no caller can cause';
  return isBounded ? 'not everything was tried' : 'no call that was tried came there';
}
