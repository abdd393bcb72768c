/** Amounts of money in a currency (ISO 4217). */

export const isCurrency = (code: string): boolean => Intl.supportedValuesOf('currency').includes(code);

/** Decimals of a currency: 2 for EUR, 0 for JPY. */
export const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

/**
 * The amount in the smallest unit of the currency, and as text with its decimals. Undefined if the currency or the
 * amount is invalid.
 */
export function readAmount(amount: number, currency: string): { minor: number; text: string } | undefined {
  if (!isCurrency(currency)) return undefined;
  const digits = decimalsOf(currency);
  const exact = amount * 10 ** digits;
  const minor = Math.round(exact);
  // Floating-point results may differ slightly from a whole number of cents.
  const isWhole = Math.abs(exact - minor) < 1e-6 * Math.max(1, minor);
  return isWhole && minor > 0 && Number.isSafeInteger(minor) ? { minor, text: amount.toFixed(digits) } : undefined;
}
