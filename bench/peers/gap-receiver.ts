/**
 * Receives RTP and measures gaps, in a process of its own. `begin` starts the measurement; `end` is answered with the
 * times between consecutive packets of each source.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setPriority } from 'node:os';

export interface Gaps {
  packets: number;
  sources: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

const HOST = process.argv[2]!;
const BUCKETS_PER_MS = 10;
const MAX_MS = 5_000;
const SSRC_AT = 8;

try {
  // High priority, because the receiver represents another machine: sharing this one must not cause gaps.
  setPriority(-20);
} catch {
  // No permission to set the priority.
}
const lastMs = new Map<number, number>();
const histogram = new Uint32Array(MAX_MS * BUCKETS_PER_MS + 1);
let counting = false;

function percentile(share: number): number {
  const packets = histogram.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  const bucket = histogram.findIndex((count) => {
    seen += count;
    return seen >= packets * share;
  });
  return bucket / BUCKETS_PER_MS;
}

const socket = createSocket({ type: 'udp4', recvBufferSize: 8 * 2 ** 20 });
socket.on('message', (packet) => {
  if (!counting) return;
  const ssrc = packet.readUInt32BE(SSRC_AT);
  const nowMs = performance.now();
  const before = lastMs.get(ssrc);
  lastMs.set(ssrc, nowMs);
  if (before !== undefined) histogram[Math.min(Math.round((nowMs - before) * BUCKETS_PER_MS), histogram.length - 1)]!++;
});
socket.bind(0, HOST);
await once(socket, 'listening');

process.on('message', (message: 'begin' | 'end') => {
  counting = message === 'begin';
  if (counting) {
    histogram.fill(0);
    lastMs.clear();
    return;
  }
  const packets = histogram.reduce((sum, count) => sum + count, 0);
  const maxMs = histogram.findLastIndex((count) => count > 0) / BUCKETS_PER_MS;
  const gaps: Gaps = { packets, sources: lastMs.size, p50Ms: percentile(0.5), p99Ms: percentile(0.99), maxMs };
  process.send!(gaps);
});
process.send!(socket.address().port);
