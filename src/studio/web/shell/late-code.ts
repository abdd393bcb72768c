/** Code that comes when it is first needed: a service that starts anew, or a broken link, may be in the way. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const AGAIN_MS = 1000;

type Load<Code> = () => Promise<Code>;

interface LateCode<Code> {
  /** Absent as long as it is on its way. */
  code?: Code;
  /** Tries so far. */
  failures: number;
}

/** Tries until it comes, or something else is wanted. `load` is the same function each time. */
export function useLateCode<Code>(load: Load<Code> | undefined): LateCode<Code> {
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
