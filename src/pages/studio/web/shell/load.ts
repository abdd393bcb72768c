/** Data that a page loads from the service: waiting, loaded or failed, with reloads. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export type Loaded<Value> = { state: 'waiting' } | { state: 'there'; value: Value } | { state: 'failed'; error: Error };

/**
 * Loads when one of `inputs` changes and on `reload`. Late responses of a previous load are ignored. A `reload` during
 * a load starts after it, so that data is shown even if the service answers more slowly than the page polls.
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

/** Calls `act` at an interval while the page is visible. */
export function useEvery(ms: number, act: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || act(), ms);
    return () => clearInterval(timer);
  });
}
