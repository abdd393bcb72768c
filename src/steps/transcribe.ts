import { backgroundOutcomes, doneOrFailed, failedResult } from './recording.ts';
import { defineStep } from './step.ts';
import type { TranscribeArgs } from './step-arguments.ts';
import { tracksOf } from './stream.ts';

export const transcribe = defineStep<TranscribeArgs>({
  verb: 'transcribe',
  outcomes: backgroundOutcomes,
  negativeOutcomes: ['failed'],
  needsCall: true,
  async run({ input, background, locale }) {
    if (input.action !== 'start') return doneOrFailed(background.stopTranscript());
    const { language = locale, tracks, min_confidence: minConfidence } = input;
    const started = background.startTranscript({ language, tracks: tracksOf(tracks), minConfidence });
    if ('fault' in started) return failedResult(started.fault);
    return { outcome: 'started', result: { transcript_id: started.id } };
  },
});
