/**
 * Figures of media: ports, and the counters of the threads, which are queried when figures are read. For a thread that
 * does not answer, its last figures are used. Counts of a thread that died remain in the sums.
 */
import type { Figure, FigureSource, Reading } from '../../../base/core/figures.ts';
import type { MediaThread } from './media-thread.ts';
import type { PortPool } from './port-pool.ts';
import { add, type ThreadFigures } from './thread-figures.ts';

export function mediaFigures(threads: ReadonlySet<MediaThread>, ports: PortPool): FigureSource {
  const latest = new Map<MediaThread, ThreadFigures>();
  const ofDead = { strange: 0, malformed: 0, late: 0 };

  const forgetDead = (): void => {
    for (const [thread, { packets }] of latest) {
      if (threads.has(thread)) continue;
      add(ofDead, packets);
      latest.delete(thread);
    }
  };

  const packets = (): ThreadFigures['packets'] => {
    const sum = { ...ofDead };
    for (const figures of latest.values()) add(sum, figures.packets);
    return sum;
  };

  const figures: Figure[] = [
    {
      name: 'rtp_port_pairs_used',
      type: 'gauge',
      help: 'RTP port pairs in use',
      read: () => ports.used,
    },
    {
      name: 'rtp_port_pairs_free',
      type: 'gauge',
      help: 'Free RTP port pairs; a call needs one',
      read: () => ports.size,
    },
    { name: 'media_threads', type: 'gauge', help: 'Media threads', read: () => threads.size },
    {
      name: 'media_timer_lag_seconds',
      type: 'histogram',
      help: 'Delay of the timer of a media thread; audio is late by the same time',
      labels: ['thread'],
      read: () =>
        [...latest].map(
          ([{ number }, { timerLag }]): Reading => ({ labels: { thread: String(number) }, value: timerLag }),
        ),
    },
    {
      name: 'media_packets_dropped_total',
      type: 'counter',
      help: 'Ignored packets on RTP ports: from another sender, or with another format than negotiated',
      labels: ['reason'],
      read() {
        const { strange, malformed } = packets();
        return [
          { labels: { reason: 'other_sender' }, value: strange },
          { labels: { reason: 'malformed' }, value: malformed },
        ];
      },
    },
    {
      name: 'media_packets_late_total',
      type: 'counter',
      help: 'RTP packets that arrived too late to be played, on legs that are mixed, streamed or recognised',
      read: () => packets().late,
    },
  ];

  return {
    figures,
    async refresh() {
      forgetDead();
      await Promise.all(
        [...threads].map(async (thread) => {
          const read = await thread.readFigures();
          if (read) latest.set(thread, read);
        }),
      );
    },
  };
}
