import { count, longForm, text } from './arguments.ts';
import { backgroundOutcomes, doneOrFailed, failedResult } from './recording.ts';
import { defineStep } from './step.ts';
import { tracksOf } from './stream.ts';

export const transcribe = defineStep({
  verb: 'transcribe',
  outcomes: backgroundOutcomes,
  negativeOutcomes: ['failed'],
  needsCall: true,
  async run({ input, background, locale }) {
    const args = longForm(input, 'action');
    if (args['action'] !== 'start') return doneOrFailed(background.stopTranscript());
    const started = background.startTranscript({
      language: text(args['language'], locale),
      tracks: tracksOf(args['tracks'], 'inbound'),
      minConfidence: count(args['min_confidence'], 0),
    });
    if ('fault' in started) return failedResult(started.fault);
    return { outcome: 'started', result: { transcript_id: started.id } };
  },
});
