/**
 * State of a flow's canary: polled while it is active, with functions to start, change and end it. Uses
 * `canary-api.ts`; used by `canary-view.tsx`.
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import type { ListedFlowData } from '../flow-api.ts';
import { tell, tellError } from '../shell/messages.tsx';
import { type CanaryData, endCanary, readCanary, readListed, type WantedCanary, writeCanary } from './canary-api.ts';
import { endWords } from './canary-figures.ts';
import { timeOf } from './version-api.ts';

/** Delay between polls. */
const AGAIN_MS = 2000;

export interface CanaryOnScreen {
  /** True once the service has answered or the request has failed. */
  isKnown: boolean;
  flow: ListedFlowData | undefined;
  /** The active canary, or the last one. */
  canary: CanaryData | undefined;
  isOn: boolean;
  /** True while a request of the user is pending. */
  isBusy: boolean;
  begin(wanted: WantedCanary): Promise<void>;
  back(): Promise<void>;
  reload(): Promise<void>;
}

export function useCanary(name: string): CanaryOnScreen {
  const flow = useSignal<ListedFlowData | undefined>(undefined);
  const canary = useSignal<CanaryData | undefined>(undefined);
  const isBusy = useSignal(false);
  const isKnown = useSignal(false);
  const take = (found: CanaryData | undefined): void => {
    const before = canary.peek();
    canary.value = found;
    if (before?.state === 'on' && found?.state === 'returned') tell(endWords(found, timeOf), true);
  };
  const reload = async (signal = new AbortController().signal): Promise<void> => {
    const found = await readListed(name, signal);
    if (signal.aborted) return;
    flow.value = found.listed;
    take(found.canary);
  };
  useEffect(() => {
    const abort = new AbortController();
    reload(abort.signal)
      .catch((error) => abort.signal.aborted || tellError(error))
      .finally(() => {
        if (!abort.signal.aborted) isKnown.value = true;
      });
    return () => abort.abort();
  }, [name]);

  const isOn = canary.value?.state === 'on';
  useEffect(() => {
    if (!isOn) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const again = async (): Promise<void> => {
      // Does not poll while the page is hidden. A failed poll is repeated.
      const found = document.hidden ? undefined : await readCanary(name, abort.signal).catch(() => undefined);
      if (abort.signal.aborted) return;
      if (found !== undefined && !isBusy.peek()) take(found);
      timer = setTimeout(again, AGAIN_MS);
    };
    timer = setTimeout(again, AGAIN_MS);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [isOn, name]);

  const change = async (work: () => Promise<string>): Promise<void> => {
    if (isBusy.peek()) return;
    isBusy.value = true;
    try {
      tell(await work());
      await reload();
    } catch (error) {
      tellError(error);
    } finally {
      isBusy.value = false;
    }
  };
  return {
    isKnown: isKnown.value,
    flow: flow.value,
    canary: canary.value,
    isOn,
    isBusy: isBusy.value,
    reload: () => reload().catch(tellError),
    begin: (wanted) =>
      change(async () => {
        take(await writeCanary(name, wanted));
        return t('{percent} % of callers take the canary now', { percent: wanted.percent });
      }),
    back: () =>
      change(async () => {
        await endCanary(name);
        return t('Back: all new calls take the live version');
      }),
  };
}
