/** Callbacks (kept queue positions) in SQLite. */
import type { Callback, CallbackStore } from '../../calls/conferences/callback.ts';
import type { StoreParts } from './store-parts.ts';

export function sqliteCallbacks({ database, transaction, deliveryWriter, listeners }: StoreParts): CallbackStore {
  const put = database.prepare(
    `INSERT INTO queue_callbacks (callback_id, callback) VALUES (?, ?)
     ON CONFLICT (callback_id) DO UPDATE SET callback = excluded.callback`,
  );
  const remove = database.prepare('DELETE FROM queue_callbacks WHERE callback_id = ?');
  const list = database.prepare('SELECT callback FROM queue_callbacks ORDER BY callback_no');
  return {
    list: async () => list.all().map(({ callback }) => JSON.parse(String(callback)) as Callback),
    put: async (callback) => transaction(() => void put.run(callback.callbackId, JSON.stringify(callback))),
    async remove(callbackId, events) {
      const writers = events.map(deliveryWriter);
      transaction(() => {
        remove.run(callbackId);
        for (const write of writers) write();
      });
      listeners.emitCommitted(events);
    },
  };
}
