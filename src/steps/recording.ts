import type { Fault } from '../core/fault.ts';
import type { Json } from '../core/json.ts';
import { durationMs, longForm, text } from './arguments.ts';
import { MAX_RECORDING_MS } from './conversation.ts';
import { defineStep, type StepResult } from './step.ts';

export const recording = defineStep({
  verb: 'recording',
  outcomes: (args) => backgroundOutcomes(args),
  negativeOutcomes: ['failed'],
  needsCall: true,
  async run({ input, background }) {
    const args = longForm(input, 'action');
    switch (args['action']) {
      case 'start': {
        const name = text(args['name']);
        const maxLengthMs = durationMs(args['max_length'], MAX_RECORDING_MS);
        const started = background.startRecording({ maxLengthMs, ...(name === '' ? {} : { name }) });
        if ('fault' in started) return failedResult(started.fault);
        return { outcome: 'started', result: { recording_id: started.id } };
      }
      case 'stop':
        return doneOrFailed(background.stopRecording());
      default:
        return doneOrFailed(background.pauseRecording(args['action'] === 'pause'));
    }
  },
});

/** What starts is `started`, all else is `done`. */
export function backgroundOutcomes(args: Json): string[] {
  const { action } = longForm(args, 'action');
  if (typeof action === 'string' && action.includes('${')) return ['started', 'done', 'failed'];
  return [action === 'start' ? 'started' : 'done', 'failed'];
}

export const failedResult = ({ code, message }: Fault): StepResult => ({
  outcome: 'failed',
  result: { code, message },
});

export const doneOrFailed = (fault: Fault | undefined): StepResult =>
  fault ? failedResult(fault) : { outcome: 'done' };
