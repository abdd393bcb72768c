/**
 * Figures of media: ports, and the counters of the threads, which are queried when figures are read. For a thread that
 * does not answer, its last figures are used. Counts of a thread that died remain in the sums.
 */
import type { Figure, FigureSource, Reading } from '../../core/figures.ts';
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
      help: 'Pairs of RTP ports that legs use',
      read: () => ports.used,
    },
    {
      name: 'rtp_port_pairs_free',
      type: 'gauge',
      help: 'Pairs of RTP ports that are left; without one, a call cannot begin',
      read: () => ports.size,
    },
    { name: 'media_threads', type: 'gauge', help: 'Threads that carry the sound of calls', read: () => threads.size },
    {
      name: 'media_timer_lag_seconds',
      type: 'histogram',
      help: 'How much later than planned the timer of a media thread fired: sound is late by as much',
      labels: ['thread'],
      read: () =>
        [...latest].map(
          ([{ number }, { timerLag }]): Reading => ({ labels: { thread: String(number) }, value: timerLag }),
        ),
    },
    {
      name: 'media_packets_dropped_total',
      type: 'counter',
      help: 'Packets on RTP ports that were ignored: not from the negotiated sender, or not what was negotiated',
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
      help: 'RTP packets that came after their turn to be heard, on legs that are mixed, streamed or listened to',
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
