/**
 * Callbacks in Redis: the owner node of the queues places them. Deliveries are added before the callback is removed, so
 * that they are sent again after a crash in between.
 */
import type { Delivery } from '../../../../base/core/delivery.ts';
import type { Callback, CallbackStore } from '../../../calls/conferences/callback.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import type { Reader } from '../connection/reader.ts';
import { tagOf } from '../connection/shards.ts';

export interface RedisCallbackParts {
  groups: CommandGroups;
  reader: Reader;
  addDeliveries(deliveries: readonly Delivery[]): Promise<unknown>;
}

const TAG = tagOf('callbacks');

export function redisCallbacks({ groups, reader, addDeliveries }: RedisCallbackParts): CallbackStore {
  const list = async (): Promise<Callback[]> => {
    const texts = await reader.ask<string[]>('cw_callbacks', TAG, []);
    return texts.map((text) => JSON.parse(text) as Callback);
  };
  const drop = async (callbackId: string): Promise<void> => {
    await groups.call('cw_drop_callback', TAG, [callbackId]);
  };
  return {
    list,
    async put(callback) {
      await groups.call('cw_keep_callback', TAG, [callback.callbackId, callback.projectId, JSON.stringify(callback)]);
    },
    async remove(callbackId, events) {
      if (events.length > 0) await addDeliveries(events);
      await drop(callbackId);
    },
    shared: {
      projects: () => reader.run((client) => client.hkeys(`${TAG}:callbacks:projects`)),
      isKept: (callbackId) =>
        reader.run(async (client) => (await client.hexists(`${TAG}:callbacks`, callbackId)) === 1),
      async forget(person) {
        const named = (await list()).filter((callback) => person.isIn(JSON.stringify(callback)));
        for (const { callbackId } of named) await drop(callbackId);
      },
    },
  };
}
