/**
 * Drain: nothing new begins, what goes on goes on. The administrator asks for it and may take it back; `stop` does it for
 * good. Neighbours: `calls.ts` asks whether calls may begin, `telephony/sip` answers 503 with Retry-After meanwhile.
 *
 * Invariants
 *  - new calls and new sessions of rooms are refused, and carriers are unregistered from, so that they send calls elsewhere;
 *    people come into sessions that go on, callers who enter a PIN get their call, and live calls dial, bridge and
 *    register as before;
 *  - broadcasts wait: they go on when the drain is taken back, or after the restart; in a cluster the other nodes go on
 *    with them.
 */
import { CallError } from '../calls/call-error.ts';
import type { DrainOrders, DrainState, DrainStatus } from '../calls/settings/operation.ts';
import type { Timer } from '../core/clock.ts';
import type { Base } from './base.ts';
import type { Calls } from './calls.ts';
import type { Telephony } from './telephony.ts';
import type { Video } from './video.ts';

export interface Drain extends DrainOrders {
  /** For good: resolves when nothing goes on any more. */
  finish(): Promise<void>;
  close(): void;
}

const LOG_EVERY_MS = 60_000;

export function createDrain(
  { clock, log, isQuarantined, state }: Base,
  { supervisor, reception, broadcasts }: Calls,
  { sessions }: Video,
  telephony: Telephony,
  changed: () => void = () => undefined,
): Drain {
  let sinceMs: number | undefined;
  let nextLine: Timer | undefined;

  const status = (): DrainStatus => ({
    state: state.drain,
    ...(sinceMs === undefined ? {} : { sinceMs }),
    liveCalls: supervisor.liveCalls + reception.pendingCallers,
    liveSessions: sessions.count,
  });

  const writeLines = (): void => {
    const { liveCalls, liveSessions } = status();
    log.info('service.draining', { liveCalls, liveSessions });
    nextLine = clock.after(LOG_EVERY_MS, writeLines);
  };

  const become = (next: DrainState): DrainStatus => {
    if (state.drain === 'stopping') throw new CallError('in_use', 'the service is about to stop');
    if (isQuarantined && next !== 'stopping') throw new CallError('in_use', 'the service is in quarantine');
    if (next !== state.drain) {
      const isDraining = next !== 'open';
      if (state.drain === 'open') sinceMs = clock.now();
      if (!isDraining) sinceMs = undefined;
      state.drain = next;
      telephony.acceptCalls?.(!isDraining);
      broadcasts.pause(isDraining);
      changed();
      nextLine?.cancel();
      if (isDraining) writeLines();
      else log.info('service.drain_cancelled');
    }
    return status();
  };

  return {
    status,
    begin: (): DrainStatus => become('draining'),
    /** New calls may begin again. */
    cancel: (): DrainStatus => become('open'),
    async finish(): Promise<void> {
      if (state.drain !== 'stopping') become('stopping');
      // A caller who enters a PIN becomes a call.
      const calls = reception.drain({ hangUp: false }).then(() => supervisor.drain({ hangUp: false }));
      await Promise.all([calls, sessions.whenEmpty()]);
      nextLine?.cancel();
    },
    /** Of a service that stops before that. */
    close: (): void => nextLine?.cancel(),
  };
}
