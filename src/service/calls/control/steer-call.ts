/**
 * Steering responses: the receiver of a call's event may respond with an action. It is applied like a REST command, and
 * journalled. An invalid action, or one that does not fit the call's state, is recorded as a diagnostic and changes
 * nothing.
 */
import { CallError } from '../call-error.ts';
import type { CallParts } from '../call-parts.ts';
import { checkInput, resolveFlow } from '../flow-files/flow-input.ts';
import type { SteeringAction } from './call-action.ts';
import { connectCall } from './connect-call.ts';
import { commandCall, HANG_UP, playOnCall, streamCall } from './control-call.ts';
import { conferenceCommand } from './control-conference.ts';
import { joinRoom } from './join-room.ts';

const IGNORED = 'answer_ignored';

/** `answer`: the parsed action, or the error in the response. */
export async function steerCall(
  callId: string,
  answer: { action: SteeringAction } | { wrong: string },
  parts: CallParts,
): Promise<void> {
  // An ended call cannot be steered.
  const projectId = parts.supervisor.view(callId)?.record.projectId;
  const ignore = (why: string, isWritten = false): void => {
    if (!isWritten) parts.supervisor.diagnose(callId, IGNORED, why);
    parts.log.warn('call.answer_ignored', { callId, why });
  };
  if ('wrong' in answer) return ignore(answer.wrong);
  const { action } = answer;
  if (projectId === undefined) return ignore(`${action.type}: the call has ended`);
  try {
    await perform(projectId, callId, action, parts);
    parts.log.info('call.steered', { callId, action: action.type });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    ignore(`${action.type}: ${error.message}`, error.refusedByCall);
  }
}

async function perform(projectId: string, callId: string, action: SteeringAction, parts: CallParts): Promise<unknown> {
  const call = { projectId, callId, source: 'webhook' } as const;
  switch (action.type) {
    case 'hangup':
      return commandCall(call, { ...HANG_UP, ...action }, parts);
    case 'hold':
    case 'outcome':
      return commandCall(call, action, parts);
    case 'play':
      return playOnCall(call, action.play, parts);
    case 'connect':
      return connectCall(call, action.connect, parts);
    case 'room':
      return joinRoom(call, action.room, parts);
    case 'stream':
      return streamCall(call, action.stream, parts);
    case 'conference':
      return commandCall(call, conferenceCommand(action.args, action.after), parts);
    case 'flow':
      checkInput(resolveFlow(action.flow, parts), action.input);
      return commandCall(call, action, parts);
  }
}
