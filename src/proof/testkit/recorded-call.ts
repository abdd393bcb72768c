/** Index of a recorded journal for a replay: step runs, assigned ids, and masked values. */
import type { Fault } from '../../base/core/fault.ts';
import { isObject, type JsonObject } from '../../base/core/json.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { MASK } from '../../service/runtime/journal.ts';
import { containsMask } from '../../service/runtime/masked-templates.ts';
import { recordedFile, recordedIds } from '../../service/runtime/recorded-ids.ts';
import { equalExceptMasks } from './masked.ts';

type Entry<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { kind: Kind }>;

export interface RecordedStepRun {
  entered: Entry<'entered'>;
  /** Index of `entered` in the journal. */
  enteredAt: number;
  left?: Entry<'left'>;
  leftAt: number;
  /** Variables assigned when the step was left. */
  vars?: JsonObject;
}

export class RecordedCall {
  readonly journal: readonly JournalEntry[];
  readonly started: Entry<'started'>;
  readonly visits = new Map<number, RecordedStepRun>();
  /** Names of variables and steps with masked values. */
  readonly maskedNames = new Set<string>();

  /** The journal must begin with `started`. */
  constructor(journal: readonly JournalEntry[]) {
    this.journal = journal;
    this.started = journal[0] as Entry<'started'>;
    /** Visits that have not been left, outermost first. */
    const open: number[] = [];
    for (const [index, entry] of journal.entries()) {
      if (entry.kind === 'entered') {
        this.visits.set(entry.visit, { entered: entry, enteredAt: index, leftAt: journal.length });
        open.push(entry.visit);
      } else if (entry.kind === 'left') {
        this.#leave(entry, index);
        open.splice(open.lastIndexOf(entry.visit) >>> 0, 1);
      } else if (entry.kind === 'vars') {
        const visit = this.visits.get(entry.visit ?? open.at(-1) ?? -1);
        if (visit) visit.vars = entry.set;
        for (const [name, value] of Object.entries(entry.set)) if (containsMask(value)) this.maskedNames.add(name);
      }
    }
  }

  /** Index of the next entry of this kind after `index`, or the journal's length. */
  next(kind: JournalEntry['kind'], index: number): number {
    let at = index + 1;
    while (at < this.journal.length && this.journal[at]!.kind !== kind) at++;
    return at;
  }

  /** True if keys were pressed during a visit. */
  pressed(visit: number): boolean {
    const { enteredAt, leftAt } = this.visits.get(visit) ?? { enteredAt: 0, leftAt: 0 };
    return this.journal
      .slice(enteredAt, leftAt)
      .some((entry) => entry.kind === 'in' && entry.input.type === 'leg' && entry.input.event.type === 'digit');
  }

  recordedIds(): Map<string, string[]> {
    return recordedIds(this.journal);
  }

  /** Recorded result of the recording store. */
  recordingFile(recordingId: string): { file: string } | { fault: Fault } {
    return recordedFile(this.journal, recordingId);
  }

  /** True if the recorded call presented this number, which means that it was permitted. */
  presentedCallerId(cli: string): boolean {
    return this.journal.some((entry) => entry.kind === 'dialled' && entry.from === cli);
  }

  streamedTo(url: string): boolean {
    return this.journal.some(
      (entry) =>
        entry.kind === 'command' && entry.command.type === 'stream' && equalExceptMasks(entry.command.url, url),
    );
  }

  /** Call id and URL in the requests of `webhook` steps, which are signed with the id. */
  webhookRequest(): { url: string; callId: string } | undefined {
    for (const entry of this.journal) {
      if (entry.kind !== 'request' || this.visits.get(entry.visit)?.entered.verb !== 'webhook') continue;
      const callId = isObject(entry.body) ? entry.body['voice_id'] : undefined;
      if (typeof callId === 'string' && callId !== MASK) return { url: entry.url, callId };
    }
    return undefined;
  }

  #leave(entry: Entry<'left'>, index: number): void {
    const visit = this.visits.get(entry.visit);
    if (!visit) return;
    visit.left = entry;
    visit.leftAt = index;
    if (containsMask(entry.result)) this.maskedNames.add(entry.step);
  }
}
