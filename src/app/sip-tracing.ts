/** SIP tracing: stores the SIP messages of calls, and sends copies to a capture server. */
import type { CapturedSip, SipTap } from '../base/core/sip-capture.ts';
import { HepSender } from '../service/observers/sip/hep.ts';
import { createSipMask } from '../service/observers/sip/mask.ts';
import { SipTraces } from '../service/observers/sip/traces.ts';
import type { Base } from './base.ts';
import type { Storage } from './storage.ts';

export interface SipTracing {
  /** Undefined if neither storage nor a capture server is configured. */
  tap: SipTap | undefined;
  /** The messages of a call, live or stored. */
  messagesOf(callId: string): CapturedSip[];
}

export function createSipTracing(
  { config, clock, log, state, isQuarantined }: Base,
  { store, callStore }: Storage,
): SipTracing {
  const { trace, hep, headers } = config.sip;
  const mask = createSipMask(headers.sensitive);
  const traces =
    trace === 'off'
      ? undefined
      : new SipTraces({
          ...{ keep: trace, clock, mask, store: store.sipTraces },
          failed: (error) => log.warn('sip.trace_not_written', { error }),
        });
  if (traces) {
    callStore.observe(traces.observe);
    state.closers.push(() => traces.close());
  }
  const sender =
    hep === undefined || isQuarantined
      ? undefined
      : new HepSender(hep, { mask, clock, failed: (error) => log.warn('sip.hep_failed', { error }) });
  if (sender) state.closers.push(() => sender.close());
  const taps: SipTap[] = [traces, sender].filter((tap) => tap !== undefined);
  return { tap: tapOf(taps), messagesOf: (callId) => traces?.list(callId) ?? store.sipTraces.list(callId) };
}

function tapOf(taps: readonly SipTap[]): SipTap | undefined {
  const [first, ...others] = taps;
  if (others.length === 0) return first;
  return {
    message(message) {
      for (const tap of taps) tap.message(message);
    },
    associate(callId, legId) {
      for (const tap of taps) tap.associate(callId, legId);
    },
  };
}
