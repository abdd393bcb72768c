/** The webhook receiver's answer to an event, as an action of the call. */
import type { SteeringAction } from '../calls/call-action.ts';
import { defined, type JsonObject } from '../core/json.ts';
import { ApiError } from './api-error.ts';
import { bodyReader } from './body-reader.ts';
import { connectOf, readPlay, roomOf, streamOf } from './call-bodies.ts';
import { memberArguments } from './conference-bodies.ts';
import type { AnswerBody } from './request-bodies.ts';

const answer = bodyReader('answer');

/** An action, or what is wrong with it. */
export function readWebhookAnswer(written: JsonObject): { action: SteeringAction } | { wrong: string } {
  try {
    return { action: actionOf(answer(written)) };
  } catch (error) {
    if (error instanceof ApiError) return { wrong: error.message };
    throw error;
  }
}

/** The schema makes sure that there is exactly one. */
function actionOf(body: AnswerBody): SteeringAction {
  const { connect, room, stream, conference, flow, hold, outcome } = body;
  if (body.play) return { type: 'play', play: readPlay(body.play, 'play') };
  if (connect) return { type: 'connect', connect: connectOf(connect) };
  if (room) return { type: 'room', room: roomOf(room) };
  if (stream) return { type: 'stream', stream: streamOf(stream) };
  if (conference) {
    const { name, conference_id } = conference;
    return { type: 'conference', args: defined({ ...memberArguments(conference), name, conference_id }) };
  }
  if (flow !== undefined) return { type: 'flow', flow, input: body.input ?? {} };
  if (hold !== undefined) return { type: 'hold', hold };
  if (outcome !== undefined) return { type: 'outcome', outcome, set: body.set ?? {} };
  return { type: 'hangup' };
}
