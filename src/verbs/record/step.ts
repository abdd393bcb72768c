import { FaultError, fault } from '../../base/core/fault.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import { durationMs } from '../../language/steps/arguments.ts';
import { ensureAnswered, playAudio, playPrompt } from '../../language/steps/playback.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { RecordArgs, RecordOutcome } from '../../language/steps/verb-types.ts';

const BEEP: AudioItem = { type: 'tone', frequencyHz: 1000, durationMs: 300, name: 'beep' };

export const step = defineStep<RecordArgs, RecordOutcome>({
  verb: 'record',
  async *run(context) {
    const { input, leg } = context;
    const { terminator } = input;
    yield* ensureAnswered(context);
    yield* playPrompt(context, input.prompt ?? [], input.barge_in ? { claims: '' } : undefined);
    if (input.beep) yield* playAudio(context, [BEEP]);
    const recordId = leg.request({
      type: 'record',
      maxLengthMs: durationMs(input.max_length),
      endSilenceMs: durationMs(input.end_silence),
      terminators: terminator,
    });
    for (;;) {
      const event = yield { digits: { claims: terminator } };
      // The recorder does not see digits sent by SIP INFO, so the step stops it.
      if (event.type === 'digit' && terminator.includes(event.digit)) leg.send({ type: 'stop_record', recordId });
      if (event.type !== 'record_ended' || event.recordId !== recordId) continue;
      const { durationMs: duration_ms, speechMs: speech_ms, reason: ended_by } = event;
      if (event.fault || ended_by === 'failed') {
        throw new FaultError(event.fault ?? fault('record_failed', 'the recording failed'));
      }
      const hasSpeech = speech_ms > 0 && speech_ms >= durationMs(input.min_length);
      const result = { recording_id: recordId, duration_ms, speech_ms, ended_by };
      return { outcome: hasSpeech ? 'recorded' : 'silence', result };
    }
  },
});
