/** REST commands as the call's own machine sees them: signals to a waiting step, or refusals. */
import type { StepEvent } from '../steps/step.ts';
import type { CallCommand } from './journal.ts';

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
