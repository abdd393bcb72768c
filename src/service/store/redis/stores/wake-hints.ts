/**
 * Wake-up hints between nodes that receivers have deliveries due: published once per turn of the event loop. Polling
 * every second covers lost hints.
 */
import { parseJson } from '../../../../base/core/json.ts';
import type { RedisConnection } from '../connection/redis-client.ts';

const CHANNEL = 'cw:arrivals';
/** Maximum number of receivers per message. */
const MAX_RECEIVERS = 1000;

export interface WakeHints {
  onWake(listener: (receivers: readonly string[]) => void): () => void;
  wake(receiver: string): void;
}

export function redisWakeHints({ client, subscriber }: Pick<RedisConnection, 'client' | 'subscriber'>): WakeHints {
  const waiting = new Set<string>();
  const publish = (): void => {
    const receivers = [...waiting].slice(0, MAX_RECEIVERS);
    waiting.clear();
    client.publish(CHANNEL, JSON.stringify(receivers)).catch(() => undefined);
  };
  return {
    onWake(listener) {
      const onMessage = (channel: string, text: string): void => {
        if (channel !== CHANNEL) return;
        const receivers = parseJson(text);
        if (Array.isArray(receivers)) listener(receivers.filter((each) => typeof each === 'string'));
      };
      subscriber.on('message', onMessage);
      // Repeated after a reconnect; before the first connection there are no messages.
      subscriber.subscribe(CHANNEL).catch(() => undefined);
      return () => void subscriber.off('message', onMessage);
    },
    wake(receiver) {
      if (waiting.size === 0) setImmediate(publish);
      waiting.add(receiver);
    },
  };
}
