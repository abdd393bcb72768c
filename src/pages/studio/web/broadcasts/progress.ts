/** Progress of a broadcast. Pure. */
import type { Json } from '../../../../base/core/json.ts';

export interface BroadcastData {
  app_instance: string;
  application_name: string;
  state: 'initiated' | 'running' | 'completed' | 'stopped' | 'failed';
  created: string;
  started?: string;
  ended?: string;
  error_description?: string;
}

export interface BroadcastTotals {
  numbers: number;
  queued: number;
  ringing: number;
  connected: number;
  disconnected: number;
  success: number;
  failed: number;
  attempts: number;
  reasons: Record<string, number>;
}

interface NumberResult {
  code: 'success' | 'failed';
  reason: string;
}

export interface BroadcastNumber {
  dialed_number: string;
  state: string;
  result?: NumberResult;
  /** Result of the last call of a number that is called again. */
  last_result?: NumberResult;
  attempts: number;
  voice_id?: string;
  output?: Json;
}

export interface BroadcastShare {
  name: 'success' | 'failed' | 'connected' | 'ringing' | 'queued';
  count: number;
  /** Fraction of all numbers, from 0 to 1. */
  share: number;
}

/** Segments of the progress bar from left to right, without empty ones. */
export const partsOf = (totals: BroadcastTotals): BroadcastShare[] =>
  (['success', 'failed', 'connected', 'ringing', 'queued'] as const)
    .map((name) => ({ name, count: totals[name], share: totals.numbers === 0 ? 0 : totals[name] / totals.numbers }))
    .filter(({ count }) => count > 0);

/** Estimated time left at the average rate so far, in ms. Undefined before the first result and after the end. */
export function remainingMs(
  { started, ended }: BroadcastData,
  totals: BroadcastTotals,
  nowMs: number,
): number | undefined {
  if (started === undefined || ended !== undefined || totals.disconnected === 0) return undefined;
  const spentMs = nowMs - Date.parse(started);
  return Math.max(0, (spentMs / totals.disconnected) * (totals.numbers - totals.disconnected));
}
