/** Digits in INFO requests: `application/dtmf-relay` (Signal, Duration) and `application/dtmf` (the digit alone). */
import type { Body } from './message.ts';

const DEFAULT_DURATION_MS = 100;
/** RFC 4733 event numbers, which some send for the two keys without a figure. */
const BY_NUMBER: Readonly<Record<string, string>> = {
  '10': '*',
  '11': '#',
  '12': 'A',
  '13': 'B',
  '14': 'C',
  '15': 'D',
};

export function readInfoDigit(type: string, body: string): { digit: string; durationMs: number } | undefined {
  if (body.length > 500) return undefined;
  const signal = type === 'application/dtmf' ? body.trim() : /^[ \t]*signal[ \t]*=[ \t]*(\S+)[ \t]*$/im.exec(body)?.[1];
  const digit = BY_NUMBER[signal ?? ''] ?? signal?.toUpperCase();
  if (digit === undefined || !/^[0-9*#A-D]$/.test(digit)) return undefined;
  const duration = /^[ \t]*duration[ \t]*=[ \t]*(\d{1,5})[ \t]*$/im.exec(body)?.[1];
  return { digit, durationMs: duration === undefined ? DEFAULT_DURATION_MS : Number(duration) };
}

export const infoBody = (digit: string, durationMs: number): Body => ({
  type: 'application/dtmf-relay',
  content: `Signal=${digit}\r\nDuration=${durationMs}\r\n`,
});
