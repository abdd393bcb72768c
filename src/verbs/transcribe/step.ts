import { backgroundResult, tracksOf } from '../../language/steps/background.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { TranscribeArgs, TranscribeOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<TranscribeArgs, TranscribeOutcome>({
  verb: 'transcribe',
  async run(context) {
    const { action, language = context.locale, tracks, min_confidence: minConfidence } = context.input;
    if (action !== 'start') return backgroundResult(context.background({ type: 'transcript', action }));
    const options = { language, tracks: tracksOf(tracks), minConfidence };
    return backgroundResult(context.background({ type: 'transcript', action, ...options }), 'transcript_id');
  },
});
