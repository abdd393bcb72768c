/**
 * Party that ended a call or a bridge: caller or callee, the service (its flow, a command, a limit), or the network (a
 * failure without intent).
 */
export type HangupBy = 'caller' | 'callee' | 'service' | 'network';

/** `far` is the party at the far end of the leg. */
export function hangupBy(by: 'far' | 'near' | 'network', far: 'caller' | 'callee'): HangupBy {
  if (by === 'network') return 'network';
  return by === 'far' ? far : 'service';
}
