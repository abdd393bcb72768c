import { durationMs } from '../../language/steps/arguments.ts';
import { backgroundResult } from '../../language/steps/background.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { RecordingArgs, RecordingOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<RecordingArgs, RecordingOutcome>({
  verb: 'recording',
  async run(context) {
    const { action, name, max_length } = context.input;
    if (action !== 'start') return backgroundResult(context.background({ type: 'recording', action }));
    const options = { maxLengthMs: durationMs(max_length), ...(name && { name }) };
    return backgroundResult(context.background({ type: 'recording', action, ...options }), 'recording_id');
  },
});
