/** What a page shows once the service has answered: waiting, there, or why not; and how it is kept up to date. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export type Loaded<Value> = { state: 'waiting' } | { state: 'there'; value: Value } | { state: 'failed'; error: Error };

/**
 * Loads anew when one of `inputs` changes, and when `reload` is called. What comes too late is dropped. A `reload` waits for
 * what is being loaded: a service that answers more slowly than a page asks is shown all the same.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[] = [],
): { loaded: Signal<Loaded<Value>>; reload(): void } {
  const loaded = useSignal<Loaded<Value>>({ state: 'waiting' });
  const round = useSignal(0);
  const under = useRef({ isLoading: false, isAskedAgain: false }).current;
  useEffect(() => {
    const abort = new AbortController();
    const end = (result: Loaded<Value>): void => {
      if (abort.signal.aborted) return;
      loaded.value = result;
      under.isLoading = false;
      if (under.isAskedAgain) round.value += 1;
    };
    Object.assign(under, { isLoading: true, isAskedAgain: false });
    load(abort.signal).then(
      (value) => end({ state: 'there', value }),
      (error: Error) => end({ state: 'failed', error }),
    );
    return () => abort.abort();
  }, [...inputs, round.value]);
  const reload = (): void => {
    if (under.isLoading) under.isAskedAgain = true;
    else round.value += 1;
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
