/** The numbers that broadcasts of a project never call: looked up before each call, and kept as they are dialled. */
import type { Clock } from '../../core/clock.ts';
import { wrongDestination } from '../addresses.ts';
import { CallError } from '../call-error.ts';
import type { DoNotCallStore } from './broadcast-store.ts';
import type { DoNotCall } from './broadcasts.ts';
import { numbersInvalid } from './check-numbers.ts';
import { cursorOf, placeOf } from './cursor.ts';
import { phoneKey } from './phone-key.ts';

export function createDoNotCall(store: DoNotCallStore, clock: Clock): DoNotCall {
  return {
    add(projectId, phones) {
      if (phones.length === 0) throw new CallError('numbers_invalid', 'there are no numbers');
      const offenders = phones.flatMap((value, index) => {
        const message = wrongDestination(value);
        return message === undefined ? [] : [{ index, value, message }];
      });
      if (offenders.length > 0) throw numbersInvalid(offenders, phones.length);
      return store.add(projectId, [...new Set(phones.map(phoneKey))], clock.now());
    },
    remove: (projectId, phone) => store.remove(projectId, phoneKey(phone)),
    has: (projectId, phone) => store.has(projectId, phoneKey(phone)),
    list({ projectId, cursor, limit }) {
      const after = cursor === undefined ? {} : { after: placeOf(cursor) };
      const found = store.list({ projectId, ...after, limit: limit + 1 });
      const page = found.slice(0, limit).map(({ key, addedMs }) => ({ phone: key, addedMs }));
      const last = page.at(-1);
      return { phones: page, ...(found.length > limit && last ? { next: cursorOf(last.phone) } : {}) };
    },
  };
}
