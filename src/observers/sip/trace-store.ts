/** Where the SIP messages of calls are kept: with the call, and as long as the call. */
import type { CapturedSip } from '../../core/sip-capture.ts';

export interface SipTraceStore {
  /** In order, after those that are there. Nothing is written for a call that is not there. */
  append(callId: string, messages: readonly CapturedSip[]): Promise<void>;
  list(callId: string): CapturedSip[];
}
