/** Repeats the recorded actions of a step, for step runs that follow their recording (`replay-follow.ts`). */
import type { LegCommand } from '../../base/core/leg.ts';
import type { StepContext } from '../../language/steps/step.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';

/** Sends the request or command of the entry again. */
export function repeat(context: StepContext, entry: JournalEntry): void {
  switch (entry.kind) {
    case 'request': {
      const { method, url, body } = entry;
      const given = body === undefined ? {} : { body };
      context.http({ name: context.step, method, url, headers: {}, timeoutMs: 0, ...given });
      return;
    }
    case 'notified':
      context.notify(entry.event, entry.body);
      return;
    case 'log':
      context.log(entry.level, entry.message, entry.fields);
      return;
    case 'dialled':
      context.dial({ to: entry.to, from: entry.from, ringTimeoutMs: entry.ringTimeoutMs ?? 0 });
      return;
    case 'bridge': {
      const { kind: _kind, seq: _seq, atMs: _atMs, wallMs: _wallMs, ...progress } = entry;
      context.reportBridge(progress);
      return;
    }
    case 'transferred': {
      const { kind, channelId, from, to } = entry;
      context.reportBridge({ state: kind, channelId, from, to });
      return;
    }
    case 'untransferred': {
      const { kind, channelId, from, to, cause } = entry;
      context.reportBridge({ state: kind, channelId, from, to, cause });
      return;
    }
    case 'venue':
      if (entry.event === 'entered') context.enterVenue(entry.venue, entry.name, {});
      if (entry.event === 'left') context.exitVenue(entry.ticket);
      return;
    case 'command':
      repeatCommand(context, entry.command, entry.leg);
      return;
    default:
      return;
  }
}

function repeatCommand({ leg, parties }: StepContext, command: LegCommand, party: string | undefined): void {
  const target = party === undefined ? leg : parties.find(({ id }) => id === party);
  switch (command.type) {
    case 'record': {
      const { type, maxLengthMs, endSilenceMs, terminators } = command;
      target?.request({ type, maxLengthMs, endSilenceMs, terminators });
      return;
    }
    case 'play':
    case 'send_digits':
    case 'listen':
    case 'detect_machine':
    case 'refer':
    case 'assistant':
      target?.request(command);
      return;
    case 'stop_play':
      target?.stopPlay(command.playId);
      return;
    // These run in the background of the steps.
    case 'stream':
    case 'stop_stream':
    case 'pause_record':
    // Sent automatically at the end of the step.
    case 'stop_assistant':
      return;
    default:
      target?.send(command);
  }
}
