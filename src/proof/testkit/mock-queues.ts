/**
 * Mocked state of queues for steps that check them, in place of the state that results from the callers in the test.
 * Positions for callbacks are stored, but no callback is placed: it would need a test of its own.
 */
import { destinationProblem } from '../../base/core/address-syntax.ts';
import type { Clock, Timer } from '../../base/core/clock.ts';
import type { Ids } from '../../base/core/ids.ts';
import type { CallbackDesk } from '../../service/calls/conferences/callback.ts';
import type { QueueLook } from '../../service/calls/conferences/queue-figures.ts';
import type { Venue } from '../../service/runtime/venue.ts';

/** By queue name: one state for all checks, or a list for consecutive ones, of which the last is repeated. */
export type QueueMocks = Readonly<Record<string, QueueLook | readonly QueueLook[]>>;

export function mockedQueues(queues: Venue, mocks: QueueMocks, clock: Clock): Venue {
  const looks = new Map<string, number>();
  const pending = new Map<string, Timer>();
  const mockOf = (name: string): QueueLook | undefined => {
    const mock = Object.hasOwn(mocks, name) ? mocks[name] : undefined;
    if (!Array.isArray(mock)) return mock as QueueLook | undefined;
    const count = looks.get(name) ?? 0;
    looks.set(name, count + 1);
    return mock[Math.min(count, mock.length - 1)];
  };
  return {
    enter(member) {
      const look = member.options['looks'] === true ? mockOf(member.name) : undefined;
      if (!look) return queues.enter(member);
      pending.set(
        member.memberId,
        clock.after(0, () => member.emit('figures', look)),
      );
    },
    tell: (memberId, name, data) => queues.tell(memberId, name, data),
    exit(memberId) {
      pending.get(memberId)?.cancel();
      if (!pending.delete(memberId)) queues.exit(memberId);
    },
  };
}

/** Accepts callbacks to any number. */
export const simulatedDesk = (ids: Ids): CallbackDesk => ({
  async keep({ order, ...place }) {
    const { to, from, flow } = order;
    if (typeof to !== 'string' || destinationProblem(to) !== undefined) return { reason: 'no_number' };
    const callback = {
      ...{ ...place, callbackId: ids.next('callback'), to, from: String(from), flow: String(flow), input: {} },
      ...{ attempts: 0, maxAttempts: 1, pauseMs: 0, ringTimeoutMs: 0, notBeforeMs: 0, untilMs: 0 },
    };
    return { callback, isNew: true };
  },
  readyInMs: () => Number.POSITIVE_INFINITY,
  turn: () => undefined,
  taken: () => undefined,
  over: () => undefined,
});
