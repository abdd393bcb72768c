/** What the receiver of an event answered, as an action of the call. */
import type { SteeringAction } from '../calls/call-action.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { ApiError } from './api-error.ts';
import { bodyReader } from './body-reader.ts';
import { connectOf, readPlay, roomOf, streamOf } from './call-bodies.ts';
import { memberArguments } from './conference-bodies.ts';

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

/** The schema has seen to it that there is exactly one. */
function actionOf({
  play,
  connect,
  room,
  stream,
  conference,
  flow,
  input,
  hold,
  outcome,
  set,
}: JsonObject): SteeringAction {
  if (play !== undefined) return { type: 'play', play: readPlay(play, 'play') };
  if (isObject(connect)) return { type: 'connect', connect: connectOf(connect) };
  if (isObject(room)) return { type: 'room', room: roomOf(room) };
  if (isObject(stream)) return { type: 'stream', stream: streamOf(stream) };
  if (isObject(conference)) {
    const { name, conference_id: id } = conference;
    const place: JsonObject = name === undefined ? { conference_id: id! } : { name };
    return { type: 'conference', args: { ...memberArguments(conference), ...place } };
  }
  if (typeof flow === 'string' || isObject(flow)) return { type: 'flow', flow, input: isObject(input) ? input : {} };
  if (typeof hold === 'boolean') return { type: 'hold', hold };
  if (typeof outcome === 'string') return { type: 'outcome', outcome, set: isObject(set) ? set : {} };
  return { type: 'hangup' };
}
