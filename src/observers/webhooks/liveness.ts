/** Whether calls of which events wait are still going on, on this node or on another. */
import type { Log } from '../../core/log.ts';

export interface LivenessParts {
  /** Whether the call that the key stands for is still going on. */
  isLive(orderKey: string): boolean;
  /** Where nodes share the outbox: whether another carries the call. Its events come in unnoticed here. */
  isLiveElsewhere?(orderKey: string): Promise<boolean>;
  log: Log;
}

/** What is known at once. */
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
