/** Amounts of money in a currency (ISO 4217). */

export const isCurrency = (code: string): boolean => Intl.supportedValuesOf('currency').includes(code);

/** In the smallest unit of the currency, and written with its decimals; undefined: there is no such currency, or no such amount. */
export function readAmount(amount: number, currency: string): { minor: number; text: string } | undefined {
  if (!isCurrency(currency)) return undefined;
  const digits =
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  const exact = amount * 10 ** digits;
  const minor = Math.round(exact);
  // What was computed in floating point is a hair beside its cent.
  const isWhole = Math.abs(exact - minor) < 1e-6 * Math.max(1, minor);
  return isWhole && minor > 0 && Number.isSafeInteger(minor) ? { minor, text: amount.toFixed(digits) } : undefined;
}
