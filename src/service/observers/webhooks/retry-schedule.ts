/** Retry schedule of failed deliveries. */
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const RETRY_DELAYS_MS: readonly number[] = [
  1 * SECOND_MS,
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  1 * HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
];

/** ±20 %, so that the retries after an outage do not coincide. */
const JITTER = 0.2;

/** Delay after this many failed attempts. Undefined if there is no further one. `random` is in [0, 1). */
export function retryDelayMs(attempts: number, random: number): number | undefined {
  const delayMs = RETRY_DELAYS_MS[attempts - 1];
  return delayMs === undefined ? undefined : Math.round(delayMs * (1 + JITTER * (2 * random - 1)));
}

/**
 * Maximum duration of the rest of the schedule, from the time when an attempt is due to the last one, by failed
 * attempts.
 */
export const REMAINING_SCHEDULE_MS: readonly number[] = [...RETRY_DELAYS_MS.keys(), RETRY_DELAYS_MS.length].map(
  (attempts) => Math.ceil(RETRY_DELAYS_MS.slice(attempts).reduce((sum, delayMs) => sum + delayMs, 0) * (1 + JITTER)),
);
