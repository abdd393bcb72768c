/** Room 1: the store, which may fail for a while, and the journal, which others observe. */
import { observeJournal } from '../observers/journal-observer.ts';
import { openDataDirectory } from '../store/sqlite/open-data-directory.ts';
import type { Store } from '../store/store.ts';
import { createWriteBuffer } from '../store/write-buffer.ts';
import type { Base } from './base.ts';

export type Storage = ReturnType<typeof openStorage>;

export function openStorage({ config, clock, log, state }: Base, given: Store | undefined) {
  const store = given ?? openDataDirectory(config, clock);
  const writeBuffer = createWriteBuffer({ callStore: store.calls, writes: store.writes, log });
  state.closers.push(
    () => store.close(),
    () => writeBuffer.close(),
  );
  return { store, writeBuffer, callStore: observeJournal(writeBuffer.callStore) };
}
