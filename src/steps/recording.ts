import { durationMs } from './arguments.ts';
import { type BackgroundAnswer, defineStep, type StepResult } from './step.ts';
import type { RecordingArgs } from './step-arguments.ts';

export const recording = defineStep<RecordingArgs>({
  verb: 'recording',
  needsCall: true,
  async run(context) {
    const { action, name, max_length } = context.input;
    if (action !== 'start') return backgroundResult(context.background({ type: 'recording', action }));
    const options = { maxLengthMs: durationMs(max_length), ...(name && { name }) };
    return backgroundResult(context.background({ type: 'recording', action, ...options }), 'recording_id');
  },
});

/** `idName`: key of the started medium's id in the result. */
export function backgroundResult(answer: BackgroundAnswer, idName?: string): StepResult {
  if ('fault' in answer) {
    const { code, message } = answer.fault;
    return { outcome: 'failed', result: { code, message } };
  }
  return idName === undefined ? { outcome: 'done' } : { outcome: 'started', result: { [idName]: answer.id } };
}
