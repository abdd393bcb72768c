/**
 * Warns in the log before the server's TLS certificates expire: at the start, and once a day from two weeks before.
 * `tls-files.ts` reads them.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { Log } from '../../../base/core/log.ts';

const DAY_MS = 86_400_000;
const WARN_BEFORE_MS = 14 * DAY_MS;
const REMEDY = 'renew it, and run `callweave reload`';

/** Returns a function that stops it. `expiryMs` returns milliseconds since 1970, and changes with a reload. */
export function watchCertificates(
  expiryMs: () => number,
  { clock, log }: { clock: Clock; log: Pick<Log, 'warn' | 'error'> },
): () => void {
  let timer: Timer;
  const look = (): void => {
    const leftMs = expiryMs() - clock.now();
    const fields = { expires: new Date(expiryMs()).toISOString(), remedy: REMEDY };
    if (leftMs <= 0) log.error('sip.certificate_expired', fields);
    else if (leftMs <= WARN_BEFORE_MS) log.warn('sip.certificate_expires', fields);
    timer = clock.after(DAY_MS, look);
  };
  look();
  return () => timer.cancel();
}
