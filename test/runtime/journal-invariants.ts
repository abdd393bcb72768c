/** Invariants of the journal of every call. */
import type { JournalEntry } from '../../src/service/runtime/journal.ts';

/** Violations, described in words. */
export function checkJournal(journal: readonly JournalEntry[], options: { over?: boolean } = {}): string[] {
  const wrong: string[] = [];
  const complain = (entry: JournalEntry, what: string): void => {
    wrong.push(`entry ${entry.seq} (${entry.kind}): ${what}`);
  };
  /** Visits that are not left, innermost last, by the way they are on. */
  const open = new Map<string, { visit: number; depth: number }[]>();
  const branches = new Map<number, string>();
  const on = (branch: string) => open.get(branch) ?? open.set(branch, []).get(branch)!;
  const dialled = new Set<string>();
  const gone = new Set<string>();
  const stays = new Set<string>();
  let lastMs = 0;
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
      case 'entered': {
        const { branch = '', visit, depth } = entry;
        const starter = branch === '' ? undefined : Number(branch.split('.')[0]);
        const outer =
          starter === undefined ? undefined : on(branches.get(starter) ?? '').find((each) => each.visit === starter);
        if (starter !== undefined && !outer) complain(entry, `began beside the visit ${starter}, which is over`);
        const inside = on(branch).at(-1) ?? outer;
        const expected = inside ? inside.depth + 1 : 0;
        if (depth !== expected) complain(entry, `is at depth ${depth} instead of ${expected}`);
        on(branch).push({ visit, depth });
        branches.set(visit, branch);
        break;
      }
      case 'left': {
        const way = on(branches.get(entry.visit) ?? '');
        const innermost = way.pop()?.visit;
        if (innermost !== entry.visit) complain(entry, `visit ${entry.visit} is left, ${innermost} is innermost`);
        for (const [branch, visits] of open) {
          if (branch.split('.')[0] === String(entry.visit) && visits.length > 0)
            complain(entry, `leaves ${branch} alone`);
        }
        break;
      }
      case 'dialled':
        if (dialled.has(entry.leg)) complain(entry, 'was called before');
        dialled.add(entry.leg);
        break;
      case 'command':
        if (gone.has(entry.leg ?? '')) complain(entry, 'asks something of a leg that has ended');
        if (entry.leg !== undefined && !dialled.has(entry.leg)) complain(entry, 'asks something of nobody');
        if (entry.command.type === 'hangup' || entry.command.type === 'reject') gone.add(entry.leg ?? '');
        break;
      case 'in':
        if (entry.input.type === 'leg' && entry.input.event.type === 'ended') gone.add(entry.input.leg ?? '');
        if (entry.input.type === 'given_up') gone.add(entry.input.leg);
        if (entry.input.type === 'taken_over' && entry.input.leg !== undefined) dialled.add(entry.input.leg);
        break;
      case 'venue':
        if (entry.event === 'entered') stays.add(entry.ticket);
        else if (!stays.has(entry.ticket)) complain(entry, 'tells of a place that the call is not in');
        if (entry.event === 'left') stays.delete(entry.ticket);
        break;
      case 'state':
        if (entry.state === 'disconnected' || entry.state === 'failed') final++;
        break;
      case 'ended': {
        ended++;
        if (entry.fault?.code === 'internal') break;
        const left = [...open.values()].flat().map(({ visit }) => visit);
        if (left.length > 0) complain(entry, `visits ${left.join()} were not left`);
        for (const leg of dialled) if (!gone.has(leg)) complain(entry, `the party ${leg} was not let go`);
        if (stays.size > 0) complain(entry, 'the call is still somewhere');
        break;
      }
      default:
        break;
    }
  }
  if (final > 1) wrong.push(`${final} final states`);
  if (options.over && (final !== 1 || ended !== 1)) wrong.push(`${final} final states and ${ended} ends`);
  return wrong;
}
