/** Policies for SRTP with keys in session descriptions (`media/toolbox/sdp/crypto.ts`). The media engine encrypts. */
import type { TransportName } from './transport.ts';

/** `off`: never; `optional`: if both ends support it; `required`: otherwise the call is refused. */
export type SrtpPolicy = 'off' | 'optional' | 'required';

/** Policy for one far end (its route or user), and the general one; without any, it follows the signalling. */
export interface SrtpWishes {
  ofThis: SrtpPolicy | undefined;
  ofAll: SrtpPolicy | undefined;
}

/** Keys are safe in encrypted signalling, and are not sent in clear text unless configured. */
export const srtpPolicy = ({ ofThis, ofAll }: SrtpWishes, transport: TransportName): SrtpPolicy =>
  ofThis ?? ofAll ?? (transport === 'tls' ? 'optional' : 'off');

/** True if SRTP is offered; if optional, only where it is configured for this far end, or keys are safe. */
export function offersSrtp(wishes: SrtpWishes, transport: TransportName): boolean {
  const policy = srtpPolicy(wishes, transport);
  return policy === 'required' || (policy === 'optional' && (transport === 'tls' || wishes.ofThis === 'optional'));
}

/** The strictest of several policies for what may be the same far end. */
export const strictest = (policies: readonly (SrtpPolicy | undefined)[]): SrtpPolicy | undefined =>
  (['required', 'optional', 'off'] as const).find((policy) => policies.includes(policy));
