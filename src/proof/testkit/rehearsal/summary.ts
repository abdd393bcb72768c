/** Summary of a rehearsal, counted over its numbers. */
import { isObject, type Json } from '../../../base/core/json.ts';
import { CallStatistics } from '../../../service/calls/broadcast/call-statistics.ts';
import type { Rehearsal } from './rehearse.ts';

export interface RehearsalSummary {
  statistics: CallStatistics;
  /** By the output of the flow. */
  outputs: ReadonlyMap<string, number>;
  answeredBy: ReadonlyMap<string, number>;
}

const ROWS_AT_ONCE = 1_000;
const MAX_OUTPUTS = 1_000;
const MAX_OUTPUT = 40;

export async function summarize(rehearsal: Rehearsal): Promise<RehearsalSummary> {
  const statistics = new CallStatistics();
  const outputs = new Map<string, number>();
  const answeredBy = new Map<string, number>();
  const add = (to: Map<string, number>, key: string): void => void to.set(key, (to.get(key) ?? 0) + 1);
  let cursor: string | undefined;
  do {
    const page = await rehearsal.report({ limit: ROWS_AT_ONCE, ...(cursor === undefined ? {} : { cursor }) });
    for (const { attempts, answeredMs, endedMs, answeredBy: who, output } of page.rows) {
      const isWhole = answeredMs !== undefined && endedMs !== undefined;
      statistics.add(attempts, isWhole ? Math.round((endedMs - answeredMs) / 1000) : undefined);
      if (answeredMs === undefined) continue;
      if (who !== undefined) add(answeredBy, who);
      const key = output === undefined ? 'none' : outputText(output);
      add(outputs, outputs.has(key) || outputs.size < MAX_OUTPUTS ? key : 'others');
    }
    cursor = page.next;
  } while (cursor !== undefined);
  return { statistics, outputs, answeredBy };
}

/** Converts `{"answer": "comes"}` to `answer comes`. */
function outputText(output: Json): string {
  const words = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const pairs = isObject(output) ? Object.entries(output).map(([key, value]) => `${key} ${words(value)}`) : undefined;
  const text = pairs?.join(', ') ?? words(output);
  return text.length > MAX_OUTPUT ? `${text.slice(0, MAX_OUTPUT - 1)}…` : text;
}
