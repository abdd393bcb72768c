/**
 * Facts about what a party heard that do not depend on the length of words: the time in which it heard nothing, and
 * the prompts that it interrupted. A test with them passes in any wording and with any voice.
 */
import type { HeardAudio, Talk } from '../../media/telephony/simulated/far-end.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';

interface Heard {
  journal: readonly JournalEntry[];
  heard: readonly HeardAudio[];
}

/** Time of the call in which no prompt, no music and no other party was heard. */
export function quietMsOf({ journal, heard, talks }: Heard & { talks: readonly Talk[] }): number {
  const startedMs = journal[0]?.atMs ?? 0;
  const endedMs = journal.at(-1)?.atMs ?? startedMs;
  const sounds = heard.filter(({ item }) => item.type !== 'silence');
  const spans = [...sounds, ...talks].map(({ fromMs, toMs = endedMs }) => ({ fromMs, toMs: Math.min(toMs, endedMs) }));
  spans.sort((one, other) => one.fromMs - other.fromMs);
  let quietMs = 0;
  let heardUntilMs = startedMs;
  for (const { fromMs, toMs } of spans) {
    quietMs += Math.max(0, fromMs - heardUntilMs);
    heardUntilMs = Math.max(heardUntilMs, toMs);
  }
  return quietMs + Math.max(0, endedMs - heardUntilMs);
}

/** Last sound of each prompt that was stopped before its end. Repeated audio, such as music, does not count. */
export function interruptedBy({ journal, heard }: Heard): HeardAudio[] {
  const prompts = new Set<string>();
  const stopped: HeardAudio[] = [];
  for (const entry of journal) {
    if (entry.kind !== 'command' || entry.leg !== undefined) continue;
    const { command } = entry;
    if (command.type === 'play' && command.repeat !== true) prompts.add(command.playId);
    if (command.type !== 'stop_play' || !prompts.has(command.playId)) continue;
    stopped.push(...heard.filter(({ playId }) => playId === command.playId).slice(-1));
  }
  return stopped;
}
