/** State of a call, in the terms of the API's analyze route. */
import { defined } from '../../../base/core/json.ts';
import { playsPrompts } from '../../../language/flow/verb-facts.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import type { CallParts } from '../call-parts.ts';
import { findCall } from '../control/control-call.ts';

export type AnalyzedState = 'In progress' | 'connected' | 'IVR' | 'disconnected' | 'failed';

export interface CallAnalysis {
  record: CallRecord;
  state: AnalyzedState;
  /** Position of a live call in its flow. */
  flow?: string;
  step?: string;
}

export async function analyzeCall(
  projectId: string,
  callId: string,
  parts: Pick<CallParts, 'supervisor' | 'callStore'>,
): Promise<CallAnalysis> {
  const record = await findCall(projectId, callId, parts);
  const live = parts.supervisor.view(callId);
  const place = defined<Pick<CallAnalysis, 'flow' | 'step'>>({ flow: live?.flow, step: live?.step });
  if (record.state === 'disconnected' || record.state === 'failed') return { record, state: record.state };
  if (record.answeredMs === undefined) return { record, state: 'In progress', ...place };
  const isPrompting = live?.verb !== undefined && playsPrompts(live.verb);
  return { record, state: isPrompting ? 'IVR' : 'connected', ...place };
}
