/** Metrics of the store: whether it is writable, and the buffered calls. */
import type { FigureSource } from '../../base/core/figures.ts';
import type { Store } from './store.ts';
import type { WriteBuffer } from './write-buffer.ts';

/** `isWritable`: overrides the result of the last write if more is known. */
export const storeFigures = (
  { writes }: Pick<Store, 'writes'>,
  buffer: WriteBuffer,
  isWritable = (): boolean => writes.failure === undefined,
): FigureSource => ({
  figures: [
    {
      name: 'store_commits_total',
      type: 'counter',
      help: 'Database transactions that were written, or failed because of the disk or a lock',
      labels: ['result'],
      read: () => writes.commits.readings('result'),
    },
    {
      name: 'store_writable',
      type: 'gauge',
      help: '1 if the database, or in a cluster Redis, accepts writes of this node; 0 if new calls are refused',
      read: () => Number(isWritable()),
    },
    {
      name: 'store_calls_buffered',
      type: 'gauge',
      help: 'Calls whose decisions are buffered in memory until the database can be written',
      read: () => buffer.bufferedCalls,
    },
  ],
});
