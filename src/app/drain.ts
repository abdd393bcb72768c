/**
 * Drain: refuses new calls and sessions, while active ones continue. An administrator starts it and may cancel it; for
 * `stop` it is final. Neighbours: `calls.ts` asks whether calls may begin, `media/telephony/sip` answers 503 with
 * Retry-After during a drain.
 * Invariants
 *  - new calls and new room sessions are refused, and registrations with carriers are removed, so that they route calls
 *    elsewhere; participants can still join active sessions, callers who are entering a PIN get their call, and live
 *    calls dial, bridge and register as before;
 *  - broadcasts are paused: they resume when the drain is cancelled, or after the restart; in a cluster, the other
 *    nodes continue them.
 */
import type { Timer } from '../base/core/clock.ts';
import { CallError } from '../service/calls/call-error.ts';
import type { DrainOrders, DrainState, DrainStatus } from '../service/calls/settings/operation.ts';
import type { Base } from './base.ts';
import type { Calls } from './calls.ts';
import type { ClusterRoom } from './cluster.ts';
import type { Telephony } from './telephony.ts';
import type { Video } from './video.ts';

export interface Drain extends DrainOrders {
  /** Drains finally: resolves when no call or session is active. */
  finish(): Promise<void>;
  close(): void;
}

const LOG_EVERY_MS = 60_000;

interface DrainParts {
  base: Base;
  calls: Calls;
  video: Video;
  telephony: Telephony;
  /** Announces the state of this node, which a drain changes. */
  nodes: Pick<ClusterRoom, 'announce'>;
}

export function createDrain({ base, calls, video, telephony, nodes }: DrainParts): Drain {
  const { clock, log, isQuarantined, state } = base;
  const { supervisor, sharedNumberGate, broadcasts } = calls;
  const { sessions } = video;
  let sinceMs: number | undefined;
  let nextLine: Timer | undefined;

  const status = (): DrainStatus => ({
    state: state.drain,
    ...(sinceMs === undefined ? {} : { sinceMs }),
    liveCalls: supervisor.liveCalls + sharedNumberGate.pendingCallers,
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
      nodes.announce();
      nextLine?.cancel();
      if (isDraining) writeLines();
      else log.info('service.drain_cancelled');
    }
    return status();
  };

  return {
    status,
    begin: (): DrainStatus => become('draining'),
    /** Accepts new calls again. */
    cancel: (): DrainStatus => become('open'),
    async finish(): Promise<void> {
      if (state.drain !== 'stopping') become('stopping');
      // A caller who is entering a PIN becomes a call.
      const lastCall = sharedNumberGate.drain({ hangUp: false }).then(() => supervisor.drain({ hangUp: false }));
      await Promise.all([lastCall, sessions.whenEmpty()]);
      nextLine?.cancel();
    },
    /** Cancels the log timer, for a service that stops before the drain has finished. */
    close: (): void => nextLine?.cancel(),
  };
}
