import type { Fault } from '../core/fault.ts';
import { durationMs } from './arguments.ts';
import { defineStep, type StepResult } from './step.ts';
import type { RecordingArgs } from './step-arguments.ts';

export const recording = defineStep<RecordingArgs>({
  verb: 'recording',
  outcomes: backgroundOutcomes,
  negativeOutcomes: ['failed'],
  needsCall: true,
  async run({ input: { action, name, max_length }, background }) {
    if (action === 'stop') return doneOrFailed(background.stopRecording());
    if (action !== 'start') return doneOrFailed(background.pauseRecording(action === 'pause'));
    const started = background.startRecording({ maxLengthMs: durationMs(max_length), ...(name && { name }) });
    if ('fault' in started) return failedResult(started.fault);
    return { outcome: 'started', result: { recording_id: started.id } };
  },
});

/** What starts is `started`, all else is `done`. */
export function backgroundOutcomes({ action }: { action?: unknown }): string[] {
  if (typeof action === 'string' && action.includes('${')) return ['started', 'done', 'failed'];
  return [action === 'start' ? 'started' : 'done', 'failed'];
}

export const failedResult = ({ code, message }: Fault): StepResult => ({
  outcome: 'failed',
  result: { code, message },
});

export const doneOrFailed = (fault: Fault | undefined): StepResult =>
  fault ? failedResult(fault) : { outcome: 'done' };
