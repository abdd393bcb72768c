/** REST commands as the call's own machine sees them: signals to a waiting step, or refusals. */
import type { StepEvent } from '../steps/step.ts';
import type { CallCommand, Refusal } from './journal.ts';

export type Signal = Extract<StepEvent, { type: 'signal' }>;

/**
 * The signal under which a waiting step takes a command. An application's own events are `event.NAME`, so that none of
 * them can pass for a command.
 */
export function signalOf(command: CallCommand): Signal {
  switch (command.type) {
    case 'play': {
      const { playId, promptRef, verb, args } = command;
      const given = { ...args, play_id: playId, ...(promptRef === undefined ? {} : { prompt_ref: promptRef }) };
      return { type: 'signal', name: verb, data: given };
    }
    case 'event':
      return { type: 'signal', name: `event.${command.name}`, data: command.data };
    case 'flow':
      return { type: 'signal', name: 'flow', data: { flow: command.flow, input: command.input } };
    default:
      return { type: 'signal', name: command.type, data: null };
  }
}

/** What the acceptance of a command depends on. */
export interface Situation {
  /** The flow or the leg has ended. */
  over: boolean;
  /** The flow's `api` allows the command. */
  allowed: boolean;
  /** The step being run waits for it. */
  awaited: boolean;
  /** The flow has an interrupt for it. */
  handled: boolean;
  /** The call is answered, or was never ours to answer. */
  answered: boolean;
  ringing: boolean;
  /** The step being run is heard by the caller. */
  heard: boolean;
  /** Another command is kept for later. */
  queued: boolean;
  /** The flow has a step that waits for commands. */
  waitsLater: boolean;
}

/** Why the command does not fit the state of the call; undefined when it does. The one place where REST meets the machine. */
export function refusalOf({ type }: CallCommand, situation: Situation): Refusal | undefined {
  if (situation.over) return 'ended';
  if (!situation.allowed) return 'not_accepted_here';
  if (type === 'accept' && situation.answered) return 'already_answered';
  if (type === 'hangup' || situation.awaited) return undefined;
  switch (type) {
    case 'accept':
      return 'not_accepted_here';
    case 'event':
      return situation.handled ? undefined : 'not_accepted_here';
    default:
      if (situation.queued || situation.heard) return 'play_pending';
      // Kept until the call is answered and its flow waits for commands.
      return situation.ringing && situation.waitsLater ? undefined : 'not_accepted_here';
  }
}
