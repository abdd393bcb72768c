import { CALL_REJECTED, causeOf, NORMAL_CLEARING, sipStatusOf } from '../core/causes.ts';
import { isObject } from '../core/json.ts';
import { causeWords } from './hangup.ts';
import { defineStep } from './step.ts';

export const reject = defineStep({
  verb: 'reject',
  outcomes: () => [],
  terminal: true,
  async run({ input, leg }) {
    const written = isObject(input) ? (input['status'] ?? input['reason'] ?? null) : input;
    const status =
      typeof written === 'number' ? written : sipStatusOf(causeOf(causeWords[String(written)] ?? CALL_REJECTED.code));
    if (leg.state === 'ringing') leg.send({ type: 'reject', sipStatus: status });
    else leg.send({ type: 'hangup', cause: NORMAL_CLEARING.code });
    return { outcome: 'done', ends: 'call' };
  },
});
