/** Formats times for display. */
import { t } from '../../../shared/web/words/translate.ts';

/** `1:05.2` since the start of the call; `1:02:05` from one hour on. */
export function clockOf(ms: number): string {
  const tenths = Math.floor(Math.max(0, ms) / 100);
  const seconds = Math.floor(tenths / 10);
  const minutes = Math.floor(seconds / 60);
  const two = (value: number): string => String(value).padStart(2, '0');
  if (minutes >= 60) return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
  return `${minutes}:${two(seconds % 60)}.${tenths % 10}`;
}

/** `350 ms`, `2.5 s`, `3 min`, `2 h`. */
export function lengthInWords(ms: number): string {
  if (ms < 1000) return t('{ms} ms', { ms: Math.round(ms) });
  if (ms < 60_000) return t('{count} s', { count: trim(ms / 1000) });
  if (ms < 3_600_000) return t('{count} min', { count: trim(ms / 60_000) });
  return t('{count} h', { count: trim(ms / 3_600_000) });
}

const trim = (value: number): string => String(Math.round(value * 10) / 10);
