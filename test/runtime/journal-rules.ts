/** What is true of the journal of any call, whatever happened on it. */
import type { JournalEntry } from '../../src/runtime/journal.ts';

/** What is wrong, in words. */
export function checkJournal(journal: readonly JournalEntry[], options: { over?: boolean } = {}): string[] {
  const wrong: string[] = [];
  const complain = (entry: JournalEntry, what: string): void => {
    wrong.push(`entry ${entry.seq} (${entry.kind}): ${what}`);
  };
  const open: number[] = [];
  let lastMs = 0;
  let legEnded = false;
  let final = 0;
  let ended = 0;
  for (const [index, entry] of journal.entries()) {
    if (entry.seq !== index + 1) complain(entry, `stands at place ${index + 1}`);
    if (entry.atMs < lastMs) complain(entry, 'lies before the one before it');
    lastMs = entry.atMs;
    if (ended > 0) complain(entry, 'follows the end');
    switch (entry.kind) {
      case 'started':
        if (index !== 0) complain(entry, 'is not the first');
        break;
      case 'entered':
        if (entry.depth !== open.length) complain(entry, `is at depth ${entry.depth} inside ${open.length} visits`);
        open.push(entry.visit);
        break;
      case 'left':
        if (open.at(-1) !== entry.visit) complain(entry, `visit ${entry.visit} is left, ${open.at(-1)} is innermost`);
        open.pop();
        break;
      case 'command':
        if (legEnded) complain(entry, 'asks something of a leg that has ended');
        break;
      case 'in':
        if (entry.input.type === 'leg' && entry.input.event.type === 'ended') legEnded = true;
        break;
      case 'state':
        if (entry.state === 'disconnected' || entry.state === 'failed') final++;
        break;
      case 'ended':
        ended++;
        if (open.length > 0 && entry.fault?.code !== 'internal') complain(entry, `visits ${open.join()} were not left`);
        break;
      default:
        break;
    }
  }
  if (final > 1) wrong.push(`${final} final states`);
  if (options.over && (final !== 1 || ended !== 1)) wrong.push(`${final} final states and ${ended} ends`);
  return wrong;
}
