import { NORMAL_CLEARING } from '../core/causes.ts';
import { sendableHeaders } from './sip-headers.ts';
import { defineStep } from './step.ts';
import type { HangupArgs } from './step-arguments.ts';

/** Q.850 causes by their names in `hangup` and `reject`. */
export const causeWords: Readonly<Record<string, number>> = {
  normal: 16,
  busy: 17,
  no_answer: 19,
  declined: 21,
  not_found: 1,
  unavailable: 20,
  congestion: 42,
  failure: 41,
};

export const hangup = defineStep<HangupArgs>({
  verb: 'hangup',
  terminal: true,
  async run(context) {
    const { cause, headers } = context.input;
    context.leg.send({
      type: 'hangup',
      cause: typeof cause === 'number' ? cause : (causeWords[cause] ?? NORMAL_CLEARING.code),
      ...sendableHeaders(context, headers),
    });
    return { outcome: 'done', ends: 'call' };
  },
});
