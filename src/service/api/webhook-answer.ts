/** Parses the response of a webhook receiver to an event as an action on the call. */
import { defined, type JsonObject } from '../../base/core/json.ts';
import type { SteeringAction } from '../calls/control/call-action.ts';
import { ApiError } from './api-error.ts';
import { bodyReader } from './body-reader.ts';
import { actionOf, hangupOf } from './call-bodies.ts';
import { memberArguments } from './conference-bodies.ts';
import type { AnswerBody } from './request-bodies/calls.ts';

const answer = bodyReader('answer');

/** Returns the action, or the problem. */
export function readWebhookAnswer(written: JsonObject): { action: SteeringAction } | { wrong: string } {
  try {
    return { action: steeringOf(answer(written)) };
  } catch (error) {
    if (error instanceof ApiError) return { wrong: error.message };
    throw error;
  }
}

/** The schema guarantees exactly one action. */
function steeringOf(body: AnswerBody): SteeringAction {
  const { conference, hold, outcome, hangup } = body;
  const action = actionOf(body, '');
  if (action) return action;
  if (conference) {
    const { name, conference_id, after } = conference;
    const args: JsonObject = defined({ ...memberArguments(conference), name, conference_id });
    return defined({ type: 'conference', args, after });
  }
  if (hold !== undefined) return { type: 'hold', hold };
  if (outcome !== undefined) return { type: 'outcome', outcome, set: body.set ?? {} };
  return { type: 'hangup', ...(hangup === true || hangup === undefined ? {} : hangupOf(hangup, 'hangup.')) };
}
