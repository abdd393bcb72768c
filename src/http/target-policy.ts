/**
 * Where webhooks, the requests of flows and streams may go: to private addresses only where the configuration says so, or
 * where it says nothing and no carrier is connected; never to the service itself.
 */
import type { Clock } from '../core/clock.ts';
import { type ListenAddresses, ownListeners } from './own-listeners.ts';
import type { TargetPolicy } from './ssrf-guard.ts';

export type AllowPrivate = 'none' | 'loopback' | 'all';

export interface TargetSettings extends ListenAddresses {
  /** `isChosen`: the configuration says it, so it holds whether there are carriers or not. */
  webhooks: { isChosen: boolean; allowPrivate: AllowPrivate };
}

export interface ServiceTargetPolicy extends TargetPolicy {
  /** As the configuration words it. */
  readonly allowPrivate: AllowPrivate;
  /** The service listens on this port too, which was not known before the start. */
  addPort(port: number): void;
}

const PRIVATE_TARGETS = { none: 'refused', loopback: 'loopback', all: 'allowed' } as const;

/** `hasCarriers` is asked each time: routes to carriers come and go while the service runs. */
export function createTargetPolicy(
  config: TargetSettings,
  { clock, hasCarriers }: { clock: Pick<Clock, 'monotonicMs'>; hasCarriers(): boolean },
): ServiceTargetPolicy {
  const { isChosen, allowPrivate } = config.webhooks;
  const own = ownListeners(config, clock);
  return {
    get allowPrivate() {
      return isChosen || !hasCarriers() ? allowPrivate : 'none';
    },
    get privateTargets() {
      return PRIVATE_TARGETS[this.allowPrivate];
    },
    isOwn: own.isOwn,
    addPort: own.addPort,
  };
}
