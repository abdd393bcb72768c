/** Progress of a broadcast as text: the lines that are redrawn while it runs, and the final table. Pure. */
import { defined } from '../base/core/json.ts';
import { type CallStatistics, MAX_COUNTED_ATTEMPTS } from '../service/calls/broadcast/call-statistics.ts';
import type { Style } from './terminal.ts';

export const COUNTED = [
  'numbers',
  'queued',
  'ringing',
  'connected',
  'disconnected',
  'success',
  'failed',
  'attempts',
] as const;

/** Totals in a report of the API. */
export type Totals = Record<(typeof COUNTED)[number], number> & { reasons: Readonly<Record<string, number>> };

export interface BroadcastStatus {
  app_instance: string;
  application_name: string;
  state: string;
  created?: string;
  started?: string;
  ended?: string;
  totals: Totals;
}

/** Totals at one moment. */
export interface Sample {
  atMs: number;
  totals: Totals;
}

export interface Pace {
  /** Calls placed per second. Absent without an earlier sample. */
  callsPerSecond?: number;
  /** Estimated time left at the current rate, in ms. */
  leftMs?: number;
}

type Paint = (style: Style, text: string) => string;

const CALLS_OVER_MS = 10_000;
const DONE_OVER_MS = 60_000;
const BAR = 40;

/**
 * Computes the current rate from recent samples. `samples` must be in order; samples older than a
 * minute have no influence.
 */
export function measurePace(samples: readonly Sample[]): Pace {
  const { numbers = 0, disconnected = 0 } = samples.at(-1)?.totals ?? {};
  const donePerSecond = rate(samples, 'disconnected', DONE_OVER_MS) ?? 0;
  return defined<Pace>({
    callsPerSecond: rate(samples, 'attempts', CALLS_OVER_MS),
    leftMs: donePerSecond > 0 ? ((numbers - disconnected) / donePerSecond) * 1000 : undefined,
  });
}

/** Average per second in the last `overMs`. Undefined with fewer than two samples. */
function rate(samples: readonly Sample[], counted: (typeof COUNTED)[number], overMs: number): number | undefined {
  const last = samples.at(-1);
  const first = last && samples.find(({ atMs }) => atMs >= last.atMs - overMs);
  if (!last || !first || first.atMs >= last.atMs) return undefined;
  return ((last.totals[counted] - first.totals[counted]) * 1000) / (last.atMs - first.atMs);
}

/** Samples that `measurePace` still uses. */
export const recentSamples = (samples: readonly Sample[], nowMs: number): Sample[] =>
  samples.filter(({ atMs }) => atMs >= nowMs - DONE_OVER_MS);

/** Progress lines, redrawn in place. */
export function progressLines(status: BroadcastStatus, pace: Pace, paint: Paint): string[] {
  const { totals } = status;
  const part = totals.numbers === 0 ? 1 : totals.disconnected / totals.numbers;
  const filled = Math.floor(part * BAR);
  const bar = `${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}`;
  return [
    `${paint('bold', status.application_name)}  ${status.app_instance}  ${status.state}`,
    `[${paint('cyan', bar)}] ${percent(part)}  ${formatAmount(totals.disconnected)} of ${formatAmount(totals.numbers)} done`,
    `${formatAmount(totals.queued)} queued, ${formatAmount(totals.ringing)} ringing, ${formatAmount(totals.connected)} connected; ${results(totals)}`,
    paceText(status, pace),
  ];
}

/** Progress on a single line, for log files. */
export function statusLine(status: BroadcastStatus, pace: Pace): string {
  const { totals, state } = status;
  const part = totals.numbers === 0 ? 1 : totals.disconnected / totals.numbers;
  const done = `${percent(part)} done, ${formatAmount(totals.disconnected)} of ${formatAmount(totals.numbers)}`;
  return `${state}: ${done}; ${results(totals)}; ${paceText(status, pace)}`;
}

const results = ({ success, failed }: Totals): string =>
  `${formatAmount(success)} successful, ${formatAmount(failed)} failed`;

function paceText({ state, totals }: BroadcastStatus, { callsPerSecond, leftMs }: Pace): string {
  const live = totals.ringing + totals.connected;
  if (state === 'stopped') return `stopped; ${formatAmount(live)} ${live === 1 ? 'call' : 'calls'} still active`;
  if (state === 'completed' || state === 'failed') return 'over';
  if (callsPerSecond === undefined) return 'calling';
  if (live === 0 && callsPerSecond === 0 && leftMs === undefined && totals.queued > 0)
    return 'waiting for the window or the next attempt';
  const speed =
    callsPerSecond < MIN_SHOWN_RATE
      ? 'no new calls'
      : `${callsPerSecond < 10 ? callsPerSecond.toFixed(1) : formatAmount(Math.round(callsPerSecond))} calls a second`;
  return leftMs === undefined ? speed : `${speed}, about ${formatSpan(leftMs)} left`;
}

/** Smaller rates are shown as 0.0. */
const MIN_SHOWN_RATE = 0.05;

export interface PrintedLine {
  atMs: number;
  part: number;
  state: string;
}

/** Returns true after every tenth of the broadcast, on a change of state, and otherwise at an interval. */
export function shouldPrint(before: PrintedLine | undefined, now: PrintedLine): boolean {
  if (before === undefined || before.state !== now.state) return true;
  if (Math.floor(now.part * 10) > Math.floor(before.part * 10)) return true;
  return now.atMs - before.atMs >= QUIET_MS;
}

const QUIET_MS = 30_000;

/** Final result: counts by reason, with attempts and durations. */
export function finalLines(
  { status, statistics }: { status: BroadcastStatus; statistics: Omit<CallStatistics, 'add'> },
  paint: Paint,
): string[] {
  const { totals } = status;
  const reasons = Object.entries(totals.reasons).sort(([, a], [, b]) => b - a);
  const left = totals.numbers - totals.disconnected;
  const rows = [
    ...reasons.map(([reason, times]) => [reason, formatAmount(times), share(times, totals)]),
    ...(left > 0 ? [['not over', formatAmount(left), share(left, totals)]] : []),
    ['altogether', formatAmount(totals.numbers), ''],
  ];
  return [
    `${paint('bold', status.application_name)}  ${status.app_instance}  ${status.state}${elapsedText(status)}`,
    '',
    ...tableLines([['result', 'numbers', ''], ...rows], paint),
    '',
    `${results(totals)}`,
    `${formatAmount(totals.attempts)} ${totals.attempts === 1 ? 'call' : 'calls'} made${attemptsOf(statistics)}`,
    ...durationLines(statistics),
  ];
}

function elapsedText({ created, started = created, ended }: BroadcastStatus): string {
  if (started === undefined || ended === undefined) return '';
  return ` after ${formatSpan(Date.parse(ended) - Date.parse(started))}`;
}

function attemptsOf({ byAttempts }: Pick<CallStatistics, 'byAttempts'>): string {
  const said = byAttempts.flatMap((times, attempts) => {
    if (times === 0) return [];
    const often = attempts === 0 ? 'never' : attempts === 1 ? 'once' : attempts === 2 ? 'twice' : `${attempts} times`;
    return [`${often}${attempts === MAX_COUNTED_ATTEMPTS ? ' or more' : ''} ${formatAmount(times)}`];
  });
  return said.length === 0 ? '' : `: ${said.join(', ')}`;
}

function durationLines({ durations }: Pick<CallStatistics, 'durations'>): string[] {
  if (durations.length === 0) return [];
  const sorted = durations.toSorted((a, b) => a - b);
  const all = sorted.reduce((sum, seconds) => sum + seconds, 0);
  const median = sorted[Math.floor((sorted.length - 1) / 2)]!;
  return [
    `connected for ${formatSpan((all / sorted.length) * 1000)} on average, half for ${formatSpan(median * 1000)} or less, ` +
      `the longest for ${formatSpan(sorted.at(-1)! * 1000)}; ${formatSpan(all * 1000)} altogether`,
  ];
}

/** Aligned columns: the first to the left, the others to the right. The first row is the header. */
export function tableLines(rows: readonly (readonly string[])[], paint: Paint): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row, index) => {
    const cells = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[at]!)));
    const line = cells.join('  ').trimEnd();
    return index === 0 ? paint('dim', line) : line;
  });
}

export const formatAmount = (value: number): string => value.toLocaleString('en-US');

const share = (times: number, { numbers }: Totals): string => {
  const part = Math.round((times / Math.max(1, numbers)) * 100);
  return part === 0 ? '< 1 %' : `${part} %`;
};

/** Rounds down, so that 100 % is never shown too early; shows `< 1 %` for small non-zero parts. */
const percent = (part: number): string => (part > 0 && part < 0.01 ? '< 1 %' : `${Math.floor(part * 100 + 1e-9)} %`);

/** Formats a duration with at most two units. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (seconds < 600)
    return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
}
