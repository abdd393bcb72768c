/**
 * Jitter of audio with many listeners: times between consecutive RTP packets on arrival. `node bench/gaps.ts [calls]
 * [seconds]`. Measures every fifth call. The peer's figure is the limit for the 99th percentile of gaps.
 */
import { report } from './figure.ts';
import { MAX_GAP_MS, startListeners } from './listeners.ts';

const calls = Number(process.argv[2] ?? 500);
const seconds = Number(process.argv[3] ?? 20);

const listeners = await startListeners({ calls, lookedAt: 0.2, seconds });
try {
  const gaps = await listeners.gaps(seconds * 1000);
  await listeners.end();
  report('gaps.legs', gaps.sources, `of ${calls} calls looked at`);
  report('gaps.p50', gaps.p50Ms, 'ms between packets');
  report('gaps.p99', gaps.p99Ms, 'ms between packets', MAX_GAP_MS);
  report('gaps.max', gaps.maxMs, 'ms between packets');
} finally {
  await listeners.stop();
}
