/** Commands in the form of signals, which a waiting step accepts at once or from the queue. */
import type { Json } from '../../base/core/json.ts';
import type { StepEvent } from '../../language/steps/step.ts';
import type { CallCommand } from './journal.ts';

export type Signal = Extract<StepEvent, { type: 'signal' }>;

/**
 * Signal of a command. Custom events of an application are `event.NAME`, so that none can be mistaken for a command.
 */
export function signalOf(command: CallCommand): Signal {
  const [name, data] = named(command);
  const after = 'after' in command ? command.after : undefined;
  return { type: 'signal', name, data, ...(after && { after }) };
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

/** Removes the first queued command that a step with these signals accepts. */
export function takeQueued(queue: CallCommand[], signals: readonly string[]): Signal | undefined {
  const index = queue.findIndex((command) => signals.includes(signalOf(command).name));
  return index < 0 ? undefined : signalOf(queue.splice(index, 1)[0]!);
}
