/**
 * Unsaved texts of flows, kept in the browser until they are saved or discarded. They survive a closed tab, a crash and
 * the end of a session. `flow-draft.ts` writes them; the list of flows and the editor offer them.
 *
 * Invariant: without IndexedDB nothing is kept, and nothing fails.
 */
export interface KeptText {
  name: string;
  text: string;
  /** Time of the last change. */
  atMs: number;
  /** `ETag` of the saved text that it is based on. */
  base?: string | undefined;
  /** Name of the person who wrote it. */
  who?: string | undefined;
}

const DATABASE = 'callweave-studio';
const STORE = 'unsaved';

let opened: Promise<IDBDatabase | undefined> | undefined;

function database(): Promise<IDBDatabase | undefined> {
  opened ??= open();
  return opened;
}

async function open(): Promise<IDBDatabase | undefined> {
  if (globalThis.indexedDB === undefined) return undefined;
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'name' });
  return resultOf(request);
}

/** Undefined if the browser refuses, for example because its storage is full. */
const resultOf = <Result>(request: IDBRequest<Result>): Promise<Result | undefined> =>
  new Promise((resolve) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(undefined);
  });

async function inStore<Result>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result | undefined> {
  const found = await database();
  return found && resultOf(work(found.transaction(STORE, mode).objectStore(STORE)));
}

export const keptText = (name: string): Promise<KeptText | undefined> =>
  inStore<KeptText | undefined>('readonly', (store) => store.get(name));

export const keptTexts = async (): Promise<KeptText[]> =>
  (await inStore<KeptText[]>('readonly', (store) => store.getAll())) ?? [];

/** Calls are executed in order, so that the last text stays. */
export const keepText = (kept: KeptText): Promise<unknown> => inStore('readwrite', (store) => store.put(kept));

export const forgetText = (name: string): Promise<unknown> => inStore('readwrite', (store) => store.delete(name));
