/** REST commands as the call's own machine sees them: signals to a waiting step, or refusals. */
import type { Json } from '../core/json.ts';
import type { ApiCommand } from '../flow/compiled-flow.ts';
import type { CallActivity, StepEvent } from '../steps/step.ts';
import type { CallCommand, Refusal } from './journal.ts';

export type Signal = Extract<StepEvent, { type: 'signal' }>;

/**
 * The signal under which a waiting step takes a command. An application's own events are `event.NAME`, so that none of
 * them can pass for a command.
 */
export function signalOf(command: CallCommand): Signal {
  const [name, data] = named(command);
  return { type: 'signal', name, data };
}

function named(command: CallCommand): [name: string, data: Json] {
  switch (command.type) {
    case 'play': {
      const { playId, promptRef, verb, args } = command;
      return [verb, { ...args, play_id: playId, ...(promptRef === undefined ? {} : { prompt_ref: promptRef }) }];
    }
    case 'event':
      return [`event.${command.name}`, command.data];
    case 'flow':
      return ['flow', { flow: command.flow, input: command.input }];
    case 'bridge':
      return ['bridge', { ...command.args, bridge_id: command.bridgeId }];
    case 'transfer':
      return ['transfer', { ...command.args, channel_id: command.channelId }];
    case 'conference':
    case 'join_room':
      return [command.type, command.args];
    default:
      return [command.type, null];
  }
}

/** Removes the first queued command that a step with these signals takes. */
export function takeQueued(queue: CallCommand[], signals: readonly string[]): Signal | undefined {
  const index = queue.findIndex((command) => signals.includes(signalOf(command).name));
  return index < 0 ? undefined : signalOf(queue.splice(index, 1)[0]!);
}

/** The word under which a flow's `api` allows the command. */
export function permissionOf({ type }: CallCommand): ApiCommand {
  if (type === 'bridge') return 'connect';
  return type === 'stop_play' ? 'play' : type;
}

/** What the acceptance of a command depends on. */
export interface Situation {
  /** The flow or the leg has ended, or the leg was told to. */
  over: boolean;
  /** The flow's `api` allows the command. */
  allowed: boolean;
  /** A step being run waits for it. */
  awaited: boolean;
  /** The flow has an interrupt for it. */
  handled: boolean;
  /** The call is answered, or was never ours to answer. */
  answered: boolean;
  ringing: boolean;
  /** What a step being run does with the call. */
  occupation: CallActivity | undefined;
  bridged: boolean;
  /** Recordings and streams are for bridged calls only. */
  strict: boolean;
  recording: boolean;
  streaming: boolean;
  /** A step being run ends for it. */
  yields: boolean;
  /** What is kept for later: nothing, a play, or another order. */
  queued: 'play' | 'order' | undefined;
  /** The flow, or one that it calls, has a step that waits for commands. */
  waitsLater: boolean;
}

/** Why the command does not fit the state of the call; undefined when it does. The one place where REST meets the machine. */
export function refusalOf(command: CallCommand, situation: Situation): Refusal | undefined {
  if (situation.over) return 'ended';
  if (!situation.allowed) return 'not_accepted_here';
  switch (command.type) {
    case 'hangup':
    case 'outcome':
      return undefined;
    case 'accept':
      if (situation.answered) return 'already_answered';
      return situation.awaited ? undefined : 'not_accepted_here';
    case 'event':
      return situation.awaited || situation.handled ? undefined : 'not_accepted_here';
    case 'hold':
      return situation.ringing ? 'ringing' : undefined;
    case 'recording':
      return recordingRefusal(command.action === 'start', situation);
    case 'stream':
      return streamRefusal(command.action === 'start', situation);
    case 'transfer':
      if (!situation.bridged) return 'not_bridged';
      return situation.awaited ? undefined : occupationOf(situation);
    case 'stop_play':
      return situation.yields || situation.queued === 'play' ? undefined : 'not_playing';
    case 'play':
      if (situation.bridged) return 'bridged';
      if (situation.awaited) return undefined;
      if (situation.queued === 'play' || situation.occupation === 'prompt') return 'play_pending';
      return isKept(situation) && !situation.queued ? undefined : occupationOf(situation);
    default:
      if (situation.bridged) return 'bridged';
      if (situation.awaited || situation.yields) return undefined;
      // A play that is kept gives way, as one that is heard does.
      return isKept(situation) && situation.queued !== 'order' ? undefined : occupationOf(situation);
  }
}

/** Kept until the call is answered, by whom is known, and its flow waits for commands. */
const isKept = ({ ringing, occupation, waitsLater }: Situation): boolean =>
  (ringing || occupation === 'detecting') && waitsLater;

const OCCUPIED: Readonly<Record<CallActivity, Refusal>> = {
  detecting: 'detecting',
  prompt: 'prompt_playing',
  connecting: 'bridging',
  conference: 'in_conference',
  room: 'in_room',
  queue: 'in_queue',
};

/** The state of the call, for which it does not take the command. */
function occupationOf({ bridged, ringing, occupation }: Situation): Refusal {
  if (bridged) return 'transferring';
  if (ringing) return 'ringing';
  return occupation ? OCCUPIED[occupation] : 'not_accepted_here';
}

/** What goes on can be stopped in every state. */
function recordingRefusal(starts: boolean, situation: Situation): Refusal | undefined {
  if (!starts) return situation.recording ? undefined : 'not_recording';
  return outOfState(situation) ?? (situation.recording ? 'already_recording' : undefined);
}

function streamRefusal(starts: boolean, situation: Situation): Refusal | undefined {
  if (!starts) return situation.streaming ? undefined : 'not_streaming';
  return outOfState(situation) ?? (situation.streaming ? 'already_streaming' : undefined);
}

function outOfState({ strict, bridged, ringing }: Situation): Refusal | undefined {
  if (strict && !bridged) return 'not_bridged';
  return ringing ? 'ringing' : undefined;
}
