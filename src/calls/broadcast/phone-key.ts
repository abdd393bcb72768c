/** Under which a number is known however it is written: for what is called once only, or never. */
import { dialled } from '../numbers.ts';

export function phoneKey(phone: string): string {
  const text = phone.trim();
  // The dots and dashes of a host are no ornaments.
  return (/^(sips?|user):/i.test(text) ? text : dialled(text)).toLowerCase();
}
