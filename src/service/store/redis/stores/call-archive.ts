/**
 * Moves ended calls from Redis to the archive of this node, its local store; Redis records which archive holds a call.
 * A call whose node died before moving it is moved by the first node that finds it; if two do, both hold a copy, and
 * the one recorded in Redis is used. The record of an adopted broadcast call also stays in Redis for a while, because
 * another node may need it for the result of the number.
 */
import type { Clock, Timer } from '../../../../base/core/clock.ts';
import type { Log } from '../../../../base/core/log.ts';
import { FIRST_FENCE } from '../../../../base/core/ownership.ts';
import type { CallStore } from '../../../runtime/call-store.ts';
import type { CallRecord, Checkpoint, JournalEntry } from '../../../runtime/journal.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import type { Reader } from '../connection/reader.ts';
import { tagOf } from '../connection/shards.ts';

export interface CallArchiveParts {
  groups: CommandGroups;
  reader: Reader;
  local: CallStore;
  /** Name of the archive. */
  archive: string;
  /** Time for which Redis records the archive of an ended call. */
  keepMs: number;
  clock: Clock;
  log: Log;
}

/** Time after which an ended call counts as abandoned by its node. */
const LEFT_AFTER_MS = 30_000;
const SWEEP_EVERY_MS = 10_000;
const SWEEP_SIZE = 20;
/** Reply of `cw_archived`. */
const HAS_MORE = 2;
/** Numbers of a lost node are settled within seconds. */
const ADOPTED_KEPT_MS = 600_000;

export class CallArchive {
  readonly #parts: CallArchiveParts;
  readonly #moving = new Map<string, Promise<void>>();
  #sweep: Timer | undefined;
  #isClosed = false;

  constructor(parts: CallArchiveParts) {
    this.#parts = parts;
    this.#schedule();
  }

  get name(): string {
    return this.#parts.archive;
  }

  /** Moves the call in the background; the sweep repeats failed moves. */
  move(callId: string): void {
    if (this.#moving.has(callId)) return;
    const { log } = this.#parts;
    const moved = this.#move(callId)
      .catch((error) => log.warn('call.not_archived', { callId, error }))
      .finally(() => this.#moving.delete(callId));
    this.#moving.set(callId, moved);
  }

  /** Resolves when all moves in progress are completed or have failed. */
  async idle(): Promise<void> {
    while (this.#moving.size > 0) await Promise.all(this.#moving.values());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sweep?.cancel();
    await this.idle();
  }

  /** A bridged call ends before its other leg: entries may be added to the journal during the move. */
  async #move(callId: string): Promise<void> {
    const { local, groups, reader, archive, keepMs } = this.#parts;
    let kept = (await local.call(callId)) ? (await local.journal(callId)).length : 0;
    for (;;) {
      const whole = await readCall(reader, callId);
      if (!whole || whole.record.endedMs === undefined) return;
      const { record, fence, entries } = whole;
      await local.commit({ ...whole, entries: entries.slice(kept), deliveries: [] });
      if (fence > FIRST_FENCE && record.broadcastId !== undefined) {
        const text = JSON.stringify(record);
        await reader.run((client) => client.set(adoptedKey(callId), text, 'PX', ADOPTED_KEPT_MS));
      }
      kept = entries.length;
      const moved = await groups.call('cw_archived', tagOf(callId), [callId, archive, `${keepMs}`, `${kept}`]);
      if (Number(moved) !== HAS_MORE) return;
    }
  }

  #schedule(): void {
    this.#sweep = this.#parts.clock.after(SWEEP_EVERY_MS, async () => {
      await this.#sweepOnce().catch(() => undefined);
      if (!this.#isClosed) this.#schedule();
    });
  }

  async #sweepOnce(): Promise<void> {
    const { reader, clock } = this.#parts;
    const before = `${clock.now() - LEFT_AFTER_MS}`;
    const left = await reader.askAll<string[]>('cw_ended', [before, `${SWEEP_SIZE}`]);
    for (const callId of left.flat().slice(0, SWEEP_SIZE)) this.move(callId);
  }
}

export interface WholeCall {
  record: CallRecord;
  checkpoint: Checkpoint;
  entries: JournalEntry[];
  owner: string;
  fence: number;
}

const adoptedKey = (callId: string): string => `${tagOf(callId)}:adopted:${callId}`;

/** Record of an adopted broadcast call that ended recently. */
export async function adoptedCall(reader: Reader, callId: string): Promise<CallRecord | undefined> {
  const text = await reader.run((client) => client.get(adoptedKey(callId)));
  return text ? (JSON.parse(text) as CallRecord) : undefined;
}

/** Undefined if the call is not in Redis. */
export async function readCall(reader: Reader, callId: string): Promise<WholeCall | undefined> {
  const tag = tagOf(callId);
  const [fields, journal] = await reader.run((client) =>
    Promise.all([
      client.hmget(`${tag}:call:${callId}`, 'record', 'checkpoint', 'owner', 'fence'),
      client.lrange(`${tag}:journal:${callId}`, 0, -1),
    ]),
  );
  const [record, checkpoint, owner, fence] = fields;
  if (!record) return undefined;
  return {
    record: JSON.parse(record) as CallRecord,
    checkpoint: JSON.parse(checkpoint!) as Checkpoint,
    entries: journal.flatMap(entriesOf),
    owner: owner!,
    fence: Number(fence),
  };
}

/** A journal element is the number of its first entry, a space, and the entries. */
export const entriesOf = (text: string): JournalEntry[] => JSON.parse(text.slice(text.indexOf(' ') + 1));
