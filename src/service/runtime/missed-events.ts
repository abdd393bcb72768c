/** Reconstructs the leg events of a call during the time in which no node carried it. */
import { fault } from '../../base/core/fault.ts';
import type { LegCommand, LegEvent } from '../../base/core/leg.ts';
import { answeredRequestOf, requestKeyOf } from '../../base/core/leg-answers.ts';
import type { LegAtEngine } from '../../media/telephony/engine.ts';
import type { JournalEntry } from './journal.ts';

export function missedEvents(
  journal: readonly JournalEntry[],
  mainLegId: string,
  legAt: (legId: string) => LegAtEngine | undefined,
): { legId: string; event: LegEvent }[] {
  const open = new Map<string, { legId: string; command: LegCommand; index: number }>();
  const counts = new Map<string, number>();
  const answered = new Set<string>();
  for (const entry of journal) {
    if (entry.kind === 'command') {
      const { command, leg: legId = mainLegId } = entry;
      const index = counts.get(legId) ?? 0;
      counts.set(legId, index + 1);
      const key = requestKeyOf(command);
      if (key !== undefined) open.set(key, { legId, command, index });
    }
    if (entry.kind !== 'in' || entry.input.type !== 'leg') continue;
    const { event, leg = mainLegId } = entry.input;
    if (event.type === 'answered') answered.add(leg);
    const answer = answeredRequestOf(event);
    if (answer?.isFinal) open.delete(answer.name);
  }
  const legs = new Set([mainLegId, ...journal.flatMap((entry) => (entry.kind === 'dialled' ? [entry.leg] : []))]);
  const missed: { legId: string; event: LegEvent }[] = [];
  for (const legId of legs) {
    const leg = legAt(legId);
    if (leg?.state === 'connected' && !answered.has(legId)) missed.push({ legId, event: { type: 'answered' } });
  }
  for (const [key, { legId, command, index }] of open) {
    const leg = legAt(legId);
    const event = leg && index < leg.commands && !leg.isOpen(key) ? endOf(command) : undefined;
    if (event) missed.push({ legId, event });
  }
  for (const legId of legs) {
    const leg = legAt(legId);
    if (leg?.state === 'ended' && leg.cause) {
      missed.push({ legId, event: { type: 'ended', cause: leg.cause, by: 'network' } });
    }
  }
  return missed;
}

function endOf(command: LegCommand): LegEvent | undefined {
  if (command.type === 'play') {
    return { type: 'play_ended', playId: command.playId, reason: 'finished', playedMs: 0 };
  }
  if (command.type === 'send_digits') return { type: 'digits_sent', sendId: command.sendId };
  if (command.type !== 'record') return undefined;
  const why = fault('record_failed', 'its node was lost, and the engine has no file of the recording');
  const { recordId, file } = command;
  return { type: 'record_ended', recordId, reason: 'failed', file, durationMs: 0, speechMs: 0, fault: why };
}
