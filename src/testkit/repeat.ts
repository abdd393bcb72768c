/** Does again what a journal says a step did: for visits that can only follow their record (`follow.ts`). */
import type { LegCommand } from '../core/leg.ts';
import type { JournalEntry } from '../runtime/journal.ts';
import type { StepContext, StepLeg, StepLegBase } from '../steps/step.ts';

/** Asks again for what an entry says was asked. */
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
  if (party === undefined) repeatOnLeg(leg, command);
  else
    repeatOnLine(
      parties.find(({ id }) => id === party),
      command,
    );
}

function repeatOnLeg(leg: StepLeg, command: LegCommand): void {
  switch (command.type) {
    case 'ring':
    case 'progress':
    case 'answer':
      leg[command.type]();
      return;
    case 'reject':
      leg.reject(command.sipStatus);
      return;
    case 'record': {
      const { maxLengthMs, endSilenceMs, terminators } = command;
      leg.record({ maxLengthMs, endSilenceMs, terminators });
      return;
    }
    case 'stop_record':
      leg.stopRecord(command.recordId);
      return;
    default:
      repeatOnLine(leg, command);
      return;
  }
}

function repeatOnLine(line: StepLegBase | undefined, command: LegCommand): void {
  switch (command.type) {
    case 'hangup':
      line?.hangup(command.cause);
      return;
    case 'play':
      line?.play(command.audio, command.repeat ? { repeat: true } : {});
      return;
    case 'stop_play':
      line?.stopPlay(command.playId);
      return;
    case 'send_digits':
      line?.sendDigits(command.digits, command.toneMs, command.gapMs);
      return;
    case 'listen': {
      const { type: _type, listenId: _listenId, ...options } = command;
      line?.listen(options);
      return;
    }
    case 'stop_listen':
      line?.stopListen(command.listenId);
      return;
    case 'detect_machine': {
      const { timeoutMs, awaitBeepMs } = command;
      line?.detectMachine({ timeoutMs, awaitBeepMs });
      return;
    }
    case 'stop_detect':
      line?.stopDetect(command.detectId);
      return;
    case 'join':
      line?.join(command.mixId, command.muted ? { muted: true } : {});
      return;
    case 'leave':
      line?.leave();
      return;
    case 'mute':
      line?.mute(command.muted);
      return;
    case 'hold':
      line?.hold(command.music);
      return;
    case 'resume':
      line?.resume();
      return;
    case 'refer':
      line?.refer(command.to, command.replacesLegId);
      return;
    case 'refer_progress':
      line?.referProgress(command.referId, command.sipStatus);
      return;
    default:
      return;
  }
}
