/**
 * Permitted targets of webhooks, of the requests of flows, and of streams: private addresses only if the configuration
 * permits them, or if it has no setting and no carrier is connected; never the service itself.
 */
import type { Clock } from '../core/clock.ts';
import { type ListenAddresses, ownListeners } from './own-listeners.ts';
import type { TargetPolicy } from './ssrf-guard.ts';

export type AllowPrivate = 'none' | 'loopback' | 'all';

export interface TargetSettings extends ListenAddresses {
  /** `isChosen`: set in the configuration, so that it applies with and without carriers. */
  webhooks: { isChosen: boolean; allowPrivate: AllowPrivate };
}

export interface ServiceTargetPolicy extends TargetPolicy {
  /** In the terms of the configuration. */
  readonly allowPrivate: AllowPrivate;
  /** Adds a port of the service that was not known before the start. */
  addPort(port: number): void;
}

const PRIVATE_TARGETS = { none: 'refused', loopback: 'loopback', all: 'allowed' } as const;

/** `hasCarriers` is called at each check: routes to carriers may change while the service runs. */
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
