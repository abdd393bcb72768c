/** Moments in a field for local date and time. */
import { expect, it } from 'vitest';
import { localTime } from '../../../src/pages/studio/web/simulator/local-time.ts';

it.each(['2026-03-02T08:30:00.000Z', '2026-07-31T22:15:00Z'])('are read back from their field: %s', (moment) => {
  expect(new Date(localTime(moment)).getTime()).toBe(new Date(moment).getTime());
});
