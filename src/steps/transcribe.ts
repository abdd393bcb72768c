import { backgroundResult } from './recording.ts';
import { defineStep } from './step.ts';
import type { TranscribeArgs } from './step-arguments.ts';
import { tracksOf } from './stream.ts';

export const transcribe = defineStep<TranscribeArgs>({
  verb: 'transcribe',
  needsCall: true,
  async run(context) {
    const { action, language = context.locale, tracks, min_confidence: minConfidence } = context.input;
    if (action !== 'start') return backgroundResult(context.background({ type: 'transcript', action }));
    const options = { language, tracks: tracksOf(tracks), minConfidence };
    return backgroundResult(context.background({ type: 'transcript', action, ...options }), 'transcript_id');
  },
});
