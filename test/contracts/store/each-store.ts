/** Opens a new store for each test of a suite, and closes it afterwards. */
import { afterEach, beforeEach, type TestContext } from 'vitest';
import type { Store } from '../../../src/service/store/store.ts';

export interface StoreHarness {
  /** Opens a new, empty store. */
  open(): Promise<Store>;
  /** Closes the store and opens it again with its data. Absent: its data do not outlive the process. */
  reopen?(store: Store): Promise<Store>;
}

export type MakeStoreHarness = () => Promise<StoreHarness>;

/** Calls `opened` with the store of each test. Returns how to open it again; that skips the test where it is impossible. */
export function openForEach(
  make: MakeStoreHarness,
  opened: (store: Store) => void,
): (skip: TestContext['skip']) => Promise<void> {
  let harness: StoreHarness;
  let store: Store;
  const use = (next: Store): void => {
    store = next;
    opened(next);
  };
  beforeEach(async () => {
    harness = await make();
    use(await harness.open());
  });
  afterEach(() => store.close());
  return async (skip) => {
    if (!harness.reopen) return skip('the data of this store do not outlive the process');
    use(await harness.reopen(store));
  };
}
