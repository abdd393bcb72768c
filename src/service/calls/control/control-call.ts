/** Commands of a project to one of its live calls. The call's run decides whether its state allows a command. */
import { NORMAL_CLEARING } from '../../../base/core/causes.ts';
import type { CallCommand, CallRecord, Refusal } from '../../runtime/journal.ts';
import { CallError } from '../call-error.ts';
import type { CallParts } from '../call-parts.ts';
import { awaitAudio, type PlayOrder, playStep } from '../prompts/play-order.ts';
import type { StreamOrder } from './call-action.ts';

const REFUSALS: Record<Refusal, string> = {
  play_pending: 'a prompt is playing or queued',
  not_bridged: 'the call is not bridged',
  ringing: 'the call is ringing',
  detecting: 'machine detection is running',
  prompt_playing: 'a prompt is playing',
  bridging: 'the call is being connected',
  bridged: 'the call is bridged',
  transferring: 'the call is being transferred',
  in_conference: 'the call is in a conference',
  in_room: 'the call is in a room',
  in_queue: 'the call is in a queue',
  not_accepted_here: 'the flow of the call does not accept this at the moment',
  not_playing: 'no prompt is playing',
  already_answered: 'the call is already answered',
  ended: 'the call has ended',
  already_recording: 'the call is already being recorded',
  not_recording: 'the call is not being recorded',
  recording_name_taken: 'another recording has this name',
  recording_failed: 'the recording could not be started',
  already_streaming: 'the call is already being streamed',
  not_streaming: 'the call is not being streamed',
  target_refused: 'this address is not allowed',
  unknown_outcome: 'the current step does not have this outcome',
};

/** Call of a project, and the origin of the command to it: REST if absent, or the response to an event. */
export interface CommandedCall {
  projectId: string;
  callId: string;
  source?: 'webhook' | undefined;
}

type Lookup = Pick<CallParts, 'supervisor' | 'callStore'>;

/** Current record of a call, of any project. */
export const callNow = async (callId: string, { supervisor, callStore }: Lookup): Promise<CallRecord | undefined> =>
  supervisor.view(callId)?.record ?? callStore.call(callId);

/**
 * Finds a call of this project, or of any if `projectId` is undefined. A call of another project is reported as
 * unknown.
 */
export async function findCall(projectId: string | undefined, callId: string, parts: Lookup): Promise<CallRecord> {
  const record = await callNow(callId, parts);
  if (!record || (projectId !== undefined && record.projectId !== projectId)) {
    throw new CallError('unknown_call', 'there is no such call');
  }
  return record;
}

export interface CommandResult {
  record: CallRecord;
  /** Id of the recording, stream or prompt that was started or ended; empty for other commands. */
  id: string;
}

export async function commandCall(
  { projectId, callId, source }: CommandedCall,
  command: CallCommand,
  parts: Lookup,
): Promise<CommandResult> {
  const record = await findCall(projectId, callId, parts);
  const reply = await parts.supervisor.command(callId, command, source);
  if (reply.ok) return { record, id: reply.id ?? '' };
  const error = new CallError(reply.refusal, REFUSALS[reply.refusal]);
  error.refusedByCall = true;
  throw error;
}

export const HANG_UP = { type: 'hangup', cause: NORMAL_CLEARING.code } as const;

export async function playOnCall(
  call: CommandedCall,
  order: PlayOrder,
  parts: CallParts,
): Promise<{ record: CallRecord; playId: string }> {
  const { projectId, callId } = call;
  await findCall(projectId, callId, parts);
  const step = playStep(order, parts.prompts(), parts.promptAudio);
  await awaitAudio(order, projectId, parts);
  const playId = parts.ids.next('play');
  const command: CallCommand = { type: 'play', playId, ...step };
  const { record } = await commandCall(call, command, parts).catch((error: unknown) => {
    if (!(error instanceof CallError)) throw error;
    // The play route has its own codes for an ended and for a bridged call.
    if (error.code === 'ended') throw new CallError('media_failed', error.message);
    if (error.code !== 'bridged') throw error;
    const refused = new CallError('media_refused', 'the call is bridged: prompts cannot be played');
    refused.refusedByCall = error.refusedByCall;
    throw refused;
  });
  return { record, playId };
}

export async function streamCall(call: CommandedCall, order: StreamOrder, parts: CallParts): Promise<CommandResult> {
  await findCall(call.projectId, call.callId, parts);
  checkStream(order.url, parts);
  return commandCall(call, { type: 'stream', action: 'start', ...order }, parts);
}

/** Checked before the request is acknowledged; the run would refuse the URL too. */
export function checkStream(url: string, { engine, mayStream }: Pick<CallParts, 'engine' | 'mayStream'>): void {
  if (!engine.capabilities.stream) throw new CallError('no_service', 'streaming is not supported by this engine');
  if (!mayStream(url)) throw new CallError('target_refused', 'streaming to this address is not allowed');
}
