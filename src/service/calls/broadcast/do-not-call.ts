/** Do-not-call list of a project, independent of the spelling of numbers. */
import { destinationProblem } from '../../../base/core/address-syntax.ts';
import type { Clock } from '../../../base/core/clock.ts';
import { createEventLoopYield } from '../../../base/core/event-loop-yield.ts';
import type { Log } from '../../../base/core/log.ts';
import type { RuntimePorts } from '../../runtime/ports.ts';
import { CallError } from '../call-error.ts';
import { phoneKey } from '../numbers/phone-key.ts';
import type { DoNotCallStore } from './broadcast-store.ts';
import { invalidNumbersError } from './check-numbers.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

const WRITTEN_AT_ONCE = 1000;

export interface DoNotCallPage {
  phones: { phone: string; addedMs: number }[];
  next?: string;
}

export type DoNotCall = ReturnType<typeof createDoNotCall>;

export function createDoNotCall(store: DoNotCallStore, clock: Clock) {
  return {
    /** Returns how many numbers were new. Throws `numbers_invalid`. */
    add: async (projectId: string, phones: readonly string[]): Promise<number> =>
      store.add(projectId, keysOf(phones), clock.now()),
    /** Like `add` for a long list, in batches that yield to live calls. */
    async addAll(projectId: string, phones: readonly string[]): Promise<number> {
      const keys = keysOf(phones);
      const rest = createEventLoopYield();
      let added = 0;
      for (let at = 0; at < keys.length; at += WRITTEN_AT_ONCE) {
        added += await store.add(projectId, keys.slice(at, at + WRITTEN_AT_ONCE), clock.now());
        await rest();
      }
      return added;
    },
    remove: (projectId: string, phone: string): Promise<boolean> => store.remove(projectId, phoneKey(phone)),
    has: (projectId: string, phone: string): Promise<boolean> => store.has(projectId, phoneKey(phone)),
    async list({
      projectId,
      cursor,
      limit,
    }: {
      projectId: string;
      cursor?: string;
      limit: number;
    }): Promise<DoNotCallPage> {
      const after = cursor === undefined ? {} : { after: decodeCursor(cursor) };
      const found = await store.list({ projectId, ...after, limit: limit + 1 });
      const page = found.slice(0, limit).map(({ key, addedMs }) => ({ phone: key, addedMs }));
      const last = page.at(-1);
      return { phones: page, ...(found.length > limit && last ? { next: encodeCursor(last.phone) } : {}) };
    },
  };
}

function keysOf(phones: readonly string[]): string[] {
  if (phones.length === 0) throw new CallError('numbers_invalid', 'the list of numbers is empty');
  const invalidNumbers = phones.flatMap((value, index) => {
    const message = destinationProblem(value);
    return message === undefined ? [] : [{ index, value, message }];
  });
  if (invalidNumbers.length > 0) throw invalidNumbersError(invalidNumbers, phones.length);
  return [...new Set(phones.map(phoneKey))];
}

/** Adds numbers to the list, for the verb `do_not_call`. */
export const optOut =
  (list: Pick<DoNotCall, 'add'>, log?: Log): NonNullable<RuntimePorts['doNotCall']> =>
  (projectId, number) => {
    const wrong = destinationProblem(number);
    return wrong === undefined
      ? {
          add: () => {
            // The call does not wait for the write.
            list.add(projectId, [number]).catch((error) => log?.error('do_not_call.not_written', { projectId, error }));
          },
        }
      : { wrong };
  };

/** Used without a list: still validates the number. */
export const optOutOfNothing = optOut({ add: async () => 0 });
