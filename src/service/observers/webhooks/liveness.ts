/** Determines if the calls of pending events are live, on this node or on another. */
import type { Log } from '../../../base/core/log.ts';

export interface LivenessParts {
  /** True if the call of this order key is live on this node. */
  isLive(orderKey: string): boolean;
  /**
   * Present if nodes share the outbox: true if another node carries the call. This node does not see its events arrive.
   */
  isLiveElsewhere?(orderKey: string): Promise<boolean>;
  log: Log;
}

/** Answer that is available without asking other nodes. */
export const mayBeLive = ({ isLive, isLiveElsewhere }: LivenessParts, orderKey: string): boolean =>
  isLiveElsewhere !== undefined || isLive(orderKey);

export async function isLiveAnywhere(parts: LivenessParts, orderKey: string): Promise<boolean> {
  if (parts.isLive(orderKey)) return true;
  try {
    return (await parts.isLiveElsewhere?.(orderKey)) ?? false;
  } catch (error) {
    parts.log.error('outbox.unreadable', { error });
    return false;
  }
}
