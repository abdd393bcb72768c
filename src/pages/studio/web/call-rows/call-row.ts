/** Row of a call list, built from the API record and from stream events. */
import type { Json } from '../../../../base/core/json.ts';

export interface CallRow {
  id: string;
  direction: 'in' | 'out';
  from: string;
  to: string;
  flow: string;
  /** Current step of a live call, where known. */
  step?: string;
  /** Flow that contains the step: the flow of the call or one of its subflows. */
  stepFlow?: string;
  state: string;
  startedMs: number;
  endedMs?: number;
  cause?: string;
  /** Estimated MOS of the line, 1 to 4.5. */
  mos?: number;
  /** Longest silence, where it was looked for. */
  silenceMs?: number;
  broadcast?: string;
  owner?: string;
  isRecorded: boolean;
}

export function callRowOf(record: Readonly<Record<string, Json>>): CallRow {
  const quality = record['quality'] as { mos?: number } | undefined;
  const row: CallRow = {
    id: wordOf(record['voice_id']),
    direction: /^in/i.test(wordOf(record['direction'])) ? 'in' : 'out',
    from: wordOf(record['from']),
    to: wordOf(record['to']),
    flow: wordOf(record['flow']),
    state: wordOf(record['state']),
    startedMs: timeOf(record['started']) ?? 0,
    isRecorded: Array.isArray(record['recordings']) && record['recordings'].length > 0,
  };
  const endedMs = timeOf(record['ended']);
  if (endedMs !== undefined) row.endedMs = endedMs;
  if (typeof quality?.mos === 'number') row.mos = quality.mos;
  if (record['step'] !== undefined) row.step = wordOf(record['step']);
  if (record['step_flow'] !== undefined) row.stepFlow = wordOf(record['step_flow']);
  if (record['disconnect_reason'] !== undefined) row.cause = wordOf(record['disconnect_reason']);
  if (record['app_instance'] !== undefined) row.broadcast = wordOf(record['app_instance']);
  if (record['owner_ref'] !== undefined) row.owner = wordOf(record['owner_ref']);
  return row;
}

const wordOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function timeOf(value: Json | undefined): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
