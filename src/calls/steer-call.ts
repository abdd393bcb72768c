/**
 * Answers that steer: the receiver of a call's event may answer with an action. It is asked of the call as a REST command
 * would be; what is no action, or does not fit the call, is logged and changes nothing.
 */
import type { JsonObject } from '../core/json.ts';
import { CallError } from './call-error.ts';
import type { CallParts } from './call-parts.ts';
import { hangUpCall, playOnCall, runFlowOnCall } from './control-call.ts';
import type { PlayOrder } from './play-order.ts';

/** One of what an answer may ask for, checked and in our own words; see `api/bodies.ts`. */
export type SteeringAction =
  | { type: 'play'; play: PlayOrder }
  | { type: 'hangup' }
  | { type: 'flow'; flow: string | JsonObject; input: JsonObject };

export async function steerCall(
  projectId: string,
  callId: string,
  action: SteeringAction,
  parts: CallParts,
): Promise<void> {
  try {
    await perform(projectId, callId, action, parts);
    parts.log.info('call.steered', { callId, action: action.type });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    parts.log.warn('call.answer_ignored', { callId, action: action.type, code: error.code, why: error.message });
  }
}

function perform(projectId: string, callId: string, action: SteeringAction, parts: CallParts): Promise<unknown> {
  switch (action.type) {
    case 'play':
      return playOnCall(projectId, callId, action.play, parts);
    case 'hangup':
      return hangUpCall(projectId, callId, parts);
    case 'flow':
      return runFlowOnCall(projectId, callId, action, parts);
  }
}
