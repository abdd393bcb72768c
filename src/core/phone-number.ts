/** Everything but what people write for the eye: two writings of one number come to the same. */
export const normalizeNumber = (number: string): string =>
  number
    .replace(/^\s*tel:/i, '')
    .replace(/[\s().-]/g, '')
    .replace(/^\+/, '');

/** By what somebody is found, a number or an address, however it was written. */
export const numberLookupKey = (phone: string): string => normalizeNumber(phone).toLowerCase();
