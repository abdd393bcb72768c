/** Canonical key of a number or address in all its spellings: for callees that are called only once, or never. */
import { normalizeNumber } from './numbers.ts';

export function phoneKey(phone: string): string {
  const text = phone.trim();
  if (/^user:/i.test(text)) return text.toLowerCase();
  return /^sips?:/i.test(text) ? uriKey(text) : numberKey(text);
}

/** No country code begins with 0 (ITU-T E.164): a leading `00` stands for `+`. */
const numberKey = (number: string): string =>
  normalizeNumber(number)
    .toLowerCase()
    .replace(/^00(?=[1-9]\d{6,14}$)/, '');

/**
 * RFC 3261 §19.1.4: passwords, most parameters and the default port do not change the destination. Dots and dashes in a
 * host are significant.
 */
function uriKey(uri: string): string {
  const [, user = '', host = '', parameters = ''] = /^sips?:(?:([^@]*)@)?([^;]*)(.*)$/is.exec(uri)!;
  const name = decoded(user.replace(/[:;].*$/, ''));
  // RFC 3261 §19.1.6: a global number has one owner, whichever gateway the URI names.
  if (/^\+[\d().-]+$/.test(name) || (/;user=phone(;|$)/i.test(parameters) && /^[\d().-]+$/.test(name))) {
    return numberKey(name);
  }
  return `sip:${name === '' ? '' : `${name}@`}${host.replace(/:5060$/, '')}`.toLowerCase();
}

function decoded(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    return user;
  }
}
