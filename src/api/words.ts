/** Responses of the voice routes, in the documented words. */
import type { CallAnalysis } from '../calls/analyze-call.ts';
import type { JsonObject } from '../core/json.ts';
import type { CallRecord } from '../runtime/journal.ts';

/** Fields that every answer about a call carries. */
function about(record: CallRecord, timestamp: string): JsonObject {
  return {
    from: record.from,
    to: record.to,
    ...(record.ownerRef === undefined ? {} : { owner_ref: record.ownerRef }),
    timestamp,
  };
}

/** An action that goes on (`initiated`), or is done (`success`). */
export function actionBody(
  record: CallRecord,
  state: 'initiated' | 'success',
  timestamp: string,
  more: JsonObject = {},
): JsonObject {
  return { voice_id: record.callId, state, status: state, ...more, ...about(record, timestamp) };
}

export function playBody(
  record: CallRecord,
  play: { playId: string; promptRef?: string | undefined },
  timestamp: string,
  notes: string[],
): JsonObject {
  return actionBody(record, 'initiated', timestamp, {
    play_id: play.playId,
    playstate: 'initiated',
    ...(play.promptRef === undefined ? {} : { prompt_ref: play.promptRef }),
    msg: notes.join('; '),
  });
}

export function analysisBody({ record, state, flow, step }: CallAnalysis, timestamp: string): JsonObject {
  return {
    voice_id: record.callId,
    state,
    direction: record.direction === 'inbound' ? 'Inbound' : 'Outbound',
    ...(flow === undefined ? {} : { flow }),
    ...(step === undefined ? {} : { step }),
    ...about(record, timestamp),
  };
}
