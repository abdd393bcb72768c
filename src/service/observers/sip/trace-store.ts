/** Store of the SIP messages of calls: kept with the call, and as long as the call. */
import type { CapturedSip } from '../../../base/core/sip-capture.ts';

export interface SipTraceStore {
  /** Appends in order. No effect if the call is not stored. */
  append(callId: string, messages: readonly CapturedSip[]): Promise<void>;
  list(callId: string): CapturedSip[];
}
