/** Who ended a call or a bridge: a party, the service (its flow, a command, a limit), or the network, when nobody meant to. */
export type HangupBy = 'caller' | 'callee' | 'service' | 'network';

/** `far` is the party at the other end of the leg. */
export function hangupBy(by: 'far' | 'near' | 'network', far: 'caller' | 'callee'): HangupBy {
  if (by === 'network') return 'network';
  return by === 'far' ? far : 'service';
}
