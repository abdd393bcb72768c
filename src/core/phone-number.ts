/** Normalises a phone number: the digits without punctuation, `tel:` and the plus. */
export const normalizeNumber = (number: string): string =>
  number
    .replace(/^\s*tel:/i, '')
    .replace(/[\s().-]/g, '')
    .replace(/^\+/, '');

/** The key by which a number or an address is looked up, however it was written. */
export const numberLookupKey = (phone: string): string => normalizeNumber(phone).toLowerCase();
