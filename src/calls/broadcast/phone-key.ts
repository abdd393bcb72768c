/** One key for all spellings of a number or address: for callees that are called only once, or never. */
import { normalizeNumber } from '../numbers.ts';

export function phoneKey(phone: string): string {
  const text = phone.trim();
  if (/^user:/i.test(text)) return text.toLowerCase();
  return /^sips?:/i.test(text) ? uriKey(text) : numberKey(text);
}

/** No country's code begins with 0 (ITU-T E.164): `00` before one is the plus of those who cannot type it. */
const numberKey = (number: string): string =>
  normalizeNumber(number)
    .toLowerCase()
    .replace(/^00(?=[1-9]\d{6,14}$)/, '');

/** RFC 3261 §19.1.4: passwords, most parameters and the usual port reach nobody else. The dots and dashes of a host count. */
function uriKey(uri: string): string {
  const [, user = '', host = '', parameters = ''] = /^sips?:(?:([^@]*)@)?([^;]*)(.*)$/is.exec(uri)!;
  const name = decoded(user.replace(/[:;].*$/, ''));
  // RFC 3261 §19.1.6: a number of the world is whose it is, by whatever gateway.
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
