import { count, longForm, text } from './arguments.ts';
import { backgroundOutcomes, doneOr, failed } from './recording.ts';
import { defineStep } from './step.ts';
import { tracksOf } from './stream.ts';

export const transcribe = defineStep({
  verb: 'transcribe',
  outcomes: backgroundOutcomes,
  setbacks: ['failed'],
  needsCall: true,
  async run({ input, background, locale }) {
    const args = longForm(input, 'action');
    if (args['action'] !== 'start') return doneOr(background.stopTranscript());
    const started = background.startTranscript({
      language: text(args['language'], locale),
      tracks: tracksOf(args['tracks'], 'inbound'),
      minConfidence: count(args['min_confidence'], 0),
    });
    if ('fault' in started) return failed(started.fault);
    return { outcome: 'started', result: { transcript_id: started.id } };
  },
});
