/**
 * How evenly a caller gets its sound while many listen at once: the times between one RTP packet and the next, as they
 * arrive. `node bench/gaps.ts [calls] [seconds]`. Every fifth call is looked at. The peer's figure is what no gap of the
 * 99th percentile may exceed.
 */
import { report } from './figure.ts';
import { LONGEST_GAP_MS, startListeners } from './listeners.ts';

const calls = Number(process.argv[2] ?? 500);
const seconds = Number(process.argv[3] ?? 20);

const listeners = await startListeners({ calls, lookedAt: 0.2, seconds });
try {
  const gaps = await listeners.gaps(seconds * 1000);
  await listeners.end();
  report('gaps.legs', gaps.sources, `of ${calls} calls looked at`);
  report('gaps.p50', gaps.p50Ms, 'ms between packets');
  report('gaps.p99', gaps.p99Ms, 'ms between packets', LONGEST_GAP_MS);
  report('gaps.max', gaps.maxMs, 'ms between packets');
} finally {
  await listeners.stop();
}
