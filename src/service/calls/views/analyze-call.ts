/** State of a call, in the terms of the API's analyze route. */
import { defined } from '../../../base/core/json.ts';
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

/** Verbs that connect the caller with other parties instead of playing prompts. */
const CONVERSATIONS = new Set(['bridge', 'transfer', 'resume', 'hold', 'conference', 'queue', 'join_room']);

export async function analyzeCall(
  projectId: string,
  callId: string,
  parts: Pick<CallParts, 'supervisor' | 'callStore' | 'isMedia'>,
): Promise<CallAnalysis> {
  const record = await findCall(projectId, callId, parts);
  const live = parts.supervisor.view(callId);
  const place = defined<Pick<CallAnalysis, 'flow' | 'step'>>({ flow: live?.flow, step: live?.step });
  if (record.state === 'disconnected' || record.state === 'failed') return { record, state: record.state };
  if (record.answeredMs === undefined) return { record, state: 'In progress', ...place };
  const { verb } = live ?? {};
  const prompting = verb !== undefined && parts.isMedia(verb) && !CONVERSATIONS.has(verb);
  return { record, state: prompting ? 'IVR' : 'connected', ...place };
}
