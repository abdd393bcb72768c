/**
 * Requests that Asterisk does not support: returns their final event with the reason. `docs/asterisk.md` has the list.
 */
import { fault } from '../../../base/core/fault.ts';
import type { LegCommand, LegEvent } from '../../../base/core/leg.ts';

const unsupported = (what: string) =>
  fault('unsupported', `${what} with calls that Asterisk carries: docs/asterisk.md says what it can do`);

/** Undefined if the command is not answered. `isEnding`: the leg is being hung up, and no request starts any more. */
export function refusalOf(command: LegCommand, isEnding: boolean): LegEvent | undefined {
  switch (command.type) {
    case 'listen':
      return isEnding
        ? { type: 'listen_ended', listenId: command.listenId, reason: 'stopped' }
        : {
            ...{ type: 'listen_ended', listenId: command.listenId, reason: 'failed' },
            fault: unsupported('speech is not recognised'),
          };
    case 'stream':
      return isEnding
        ? { type: 'stream_ended', streamId: command.streamId, reason: 'hangup' }
        : {
            ...{ type: 'stream_ended', streamId: command.streamId, reason: 'failed' },
            fault: unsupported('there are no streams'),
          };
    case 'assistant':
      return isEnding
        ? { type: 'assistant_ended', assistantId: command.assistantId, reason: 'hangup' }
        : {
            ...{ type: 'assistant_ended', assistantId: command.assistantId, reason: 'failed' },
            fault: unsupported('there are no AI agents'),
          };
    case 'detect_machine': {
      const { detectId } = command;
      return { type: 'machine_detected', detectId, result: isEnding ? 'stopped' : 'unknown', afterMs: 0 };
    }
    case 'refer':
      // RFC 3261 §21.5.2: not implemented.
      return { type: 'refer_ended', referId: command.referId, sipStatus: isEnding ? 481 : 501 };
    case 'play':
      return isEnding ? { type: 'play_ended', playId: command.playId, reason: 'stopped', playedMs: 0 } : undefined;
    case 'record': {
      const { recordId, file } = command;
      if (!isEnding) return undefined;
      return { type: 'record_ended', recordId, file, reason: 'hangup', durationMs: 0, speechMs: 0 };
    }
    case 'send_digits':
      return isEnding ? { type: 'digits_sent', sendId: command.sendId } : undefined;
    default:
      return undefined;
  }
}
