/** Lazily loaded code, with retries: the service may be restarting, or the connection may fail. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const AGAIN_MS = 1000;

type Load<Code> = () => Promise<Code>;

interface LateCode<Code> {
  /** Absent while it is loading. */
  code?: Code;
  /** Failed attempts so far. */
  failures: number;
}

/** Retries until the code is loaded or another `load` is given. `load` must be a stable function. */
export function useLazyScreen<Code>(load: Load<Code> | undefined): LateCode<Code> {
  const found = useSignal<(LateCode<Code> & { load: Load<Code> }) | undefined>(undefined);
  useEffect(() => {
    if (load === undefined) return;
    let isWanted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const attempt = (failures: number): void => {
      load().then(
        (code) => {
          if (isWanted) found.value = { load, code, failures };
        },
        () => {
          if (!isWanted) return;
          found.value = { load, failures: failures + 1 };
          timer = setTimeout(attempt, AGAIN_MS, failures + 1);
        },
      );
    };
    attempt(0);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [load]);
  return found.value !== undefined && found.value.load === load ? found.value : { failures: 0 };
}
