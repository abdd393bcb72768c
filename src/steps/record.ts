import { fault } from '../core/fault.ts';
import { isObject } from '../core/json.ts';
import type { AudioItem } from '../core/leg.ts';
import { durationMs, flag, text } from './arguments.ts';
import { ensureAnswered, playAudio, playPrompt } from './playback.ts';
import { defineStep } from './step.ts';

const BEEP: AudioItem = { type: 'tone', frequencyHz: 1000, durationMs: 300, name: 'beep' };

export const record = defineStep({
  verb: 'record',
  outcomes: () => ['recorded', 'silence', 'error'],
  success: 'recorded',
  negativeOutcomes: ['silence'],
  waits: true,
  media: true,
  needsCall: true,
  prompts: ['/prompt'],
  async *run(context) {
    const args = isObject(context.input) ? context.input : {};
    yield* ensureAnswered(context);
    const playback = yield* playPrompt(
      context,
      args['prompt'] ?? [],
      flag(args['barge_in'], true) ? { claims: '' } : undefined,
    );
    if (playback.how === 'broken') return { outcome: 'error', fault: playback.fault };
    if (flag(args['beep'], true)) {
      const beep = yield* playAudio(context, [BEEP]);
      if (beep.how === 'broken') return { outcome: 'error', fault: beep.fault };
    }
    const terminators = text(args['terminator'], '#');
    const recordId = context.leg.request({
      type: 'record',
      maxLengthMs: durationMs(args['max_length'], 120_000),
      endSilenceMs: durationMs(args['end_silence'], 4_000),
      terminators,
    });
    for (;;) {
      const event = yield { digits: { claims: terminators } };
      // A digit by SIP INFO never passes the recorder, so that it has to be told.
      if (event.type === 'digit' && terminators.includes(event.digit))
        context.leg.send({ type: 'stop_record', recordId });
      if (event.type !== 'record_ended' || event.recordId !== recordId) continue;
      if (event.fault || event.reason === 'failed') {
        return { outcome: 'error', fault: event.fault ?? fault('record_failed', 'the recording failed') };
      }
      const result = {
        recording_id: recordId,
        duration_ms: event.durationMs,
        speech_ms: event.speechMs,
        ended_by: event.reason,
      };
      const spoken = event.speechMs > 0 && event.speechMs >= durationMs(args['min_length'], 0);
      return { outcome: spoken ? 'recorded' : 'silence', result };
    }
  },
});
