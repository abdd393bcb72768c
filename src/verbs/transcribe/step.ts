import { backgroundResult, tracksOf } from '../../steps/background.ts';
import { defineStep } from '../../steps/step.ts';
import type { TranscribeArgs } from '../../steps/step-arguments.ts';

export const step = defineStep<TranscribeArgs>({
  verb: 'transcribe',
  needsCall: true,
  async run(context) {
    const { action, language = context.locale, tracks, min_confidence: minConfidence } = context.input;
    if (action !== 'start') return backgroundResult(context.background({ type: 'transcript', action }));
    const options = { language, tracks: tracksOf(tracks), minConfidence };
    return backgroundResult(context.background({ type: 'transcript', action, ...options }), 'transcript_id');
  },
});
