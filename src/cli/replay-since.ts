/**
 * `callweave replay --since`: finds stored calls that would take another path with the current flows, grouped by cause.
 */
import type { DataConfig } from '../config.ts';
import type { Divergence, ReplayResult } from '../proof/testkit/replay-result.ts';
import type { CallCursor } from '../service/runtime/call-store.ts';
import type { CallRecord } from '../service/runtime/journal.ts';
import type { Store } from '../service/store/store.ts';
import { printDiagnostic } from './diagnostics.ts';
import { type JournalInput, readOfCall, withStore } from './journal-file.ts';
import { momentMsOf } from './moment-option.ts';
import { countOf, type Terminal } from './terminal.ts';

export interface ReplaySinceOptions {
  since: string;
  json?: boolean | undefined;
  config: DataConfig;
  replayCall: ReplayCall;
}

export type ReplayCall = (journal: JournalInput) => Promise<ReplayResult>;

interface Cause {
  cause: string;
  /** Divergence of the first call found, the newest one. */
  first: Divergence;
  calls: string[];
}

const PAGE = 200;
const MAX_NAMED = 5;

/** `flows`: only calls answered by these flows. Empty: all calls. */
export async function replaySince(
  flows: readonly string[],
  { since, json, config, replayCall }: ReplaySinceOptions,
  terminal: Terminal,
): Promise<void> {
  const fromMs = momentMsOf(since, '--since');
  const causes = new Map<string, Cause>();
  let replayed = 0;
  await withStore(config, async (store) => {
    for await (const record of endedCalls(store, fromMs)) {
      if (flows.length > 0 && !flows.includes(record.flow)) continue;
      const journal = await readOfCall(record, store);
      if (journal.entries.length === 0) continue;
      const result = await replayCall(journal);
      replayed++;
      if (!result.ok) countCause(causes, record, result.divergence);
    }
  });
  const found = [...causes.values()].sort((one, other) => other.calls.length - one.calls.length);
  const different = found.reduce((sum, { calls }) => sum + calls.length, 0);
  if (different > 0) terminal.fail(1);
  if (json) {
    const listed = found.map(({ cause, first, calls }) => ({ cause, count: calls.length, calls, first }));
    terminal.printJson({
      ok: different === 0,
      since: new Date(fromMs).toISOString(),
      replayed,
      different,
      causes: listed,
    });
    return;
  }
  for (const each of found) printCause(each, terminal);
  const verdict = `${countOf(replayed, 'call')} replayed, ${different} would differ`;
  terminal.print(terminal.style(different > 0 ? 'red' : 'green', verdict));
}

/** Newest first. A call deleted meanwhile is skipped, because its journal is missing. */
async function* endedCalls(store: Store, fromMs: number): AsyncGenerator<CallRecord> {
  let after: CallCursor | undefined;
  for (;;) {
    const range = { fromMs, toMs: Number.MAX_SAFE_INTEGER - 1, limit: PAGE };
    const page = await store.calls.list({ ...range, ...(after && { after }) });
    for (const { record } of page) if (record.endedMs !== undefined) yield record;
    after = page.at(-1)?.cursor;
    if (page.length < PAGE) return;
  }
}

function countCause(causes: Map<string, Cause>, { callId }: CallRecord, divergence: Divergence): void {
  const { level, cause, place } = divergence;
  const key = JSON.stringify([level, cause, place]);
  const known = causes.get(key);
  if (known) known.calls.push(callId);
  else causes.set(key, { cause, first: divergence, calls: [callId] });
}

function printCause({ cause, first, calls }: Cause, terminal: Terminal): void {
  const { level, place, message } = first;
  const count = `${countOf(calls.length, 'call')}: ${cause}`;
  if (place === undefined) terminal.print(`${terminal.style('red', 'ANOTHER WAY')} ${count}`);
  else printDiagnostic(terminal, { severity: 'error', code: `replay-${level}`, message: count, ...place });
  if (message !== cause) terminal.print(`  the latest: ${message}`);
  const more = calls.length > MAX_NAMED ? ` and ${calls.length - MAX_NAMED} more` : '';
  terminal.print(`  ${calls.slice(0, MAX_NAMED).join(', ')}${more}`);
}
