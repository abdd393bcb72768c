/** What a page shows once the service has answered: waiting, there, or why not; and how it is kept up to date. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export type Loaded<Value> = { state: 'waiting' } | { state: 'there'; value: Value } | { state: 'failed'; error: Error };

/** Loads anew when one of `inputs` changes, and when `reload` is called. What comes too late is dropped. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[] = [],
): { loaded: Signal<Loaded<Value>>; reload(): void } {
  const loaded = useSignal<Loaded<Value>>({ state: 'waiting' });
  const round = useSignal(0);
  useEffect(() => {
    const abort = new AbortController();
    load(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) loaded.value = { state: 'there', value };
      },
      (error: Error) => {
        if (!abort.signal.aborted) loaded.value = { state: 'failed', error };
      },
    );
    return () => abort.abort();
  }, [...inputs, round.value]);
  const reload = (): void => {
    round.value += 1;
  };
  return { loaded, reload };
}

/** Again and again, while somebody looks. */
export function useEvery(ms: number, act: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || act(), ms);
    return () => clearInterval(timer);
  });
}
