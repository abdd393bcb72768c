/** Options with a numeric value. */
import { UsageError } from './terminal.ts';

export function wholeNumber(
  option: string,
  written: string,
  { least = 0, most = Number.MAX_SAFE_INTEGER } = {},
): number {
  const value = Number(written);
  if (/^\d+$/.test(written) && value >= least && value <= most) return value;
  const bound = most < Number.MAX_SAFE_INTEGER ? ` up to ${most}` : least > 0 ? ` of at least ${least}` : '';
  throw new UsageError(`${option} ${written} is not a whole number${bound}`);
}

/** Default: 0. */
export function percent(option: string, written = '0'): number {
  const value = Number(written);
  if (!(value >= 0 && value <= 100))
    throw new UsageError(`${option} ${written} is not a percentage`, 'a number from 0 to 100');
  return value;
}
