/** Metrics of video rooms. Labels come from closed sets: a room or a person is never a label. */
import { Counter, type Registry } from 'prom-client';
import type { Figure, FigureSource } from '../../base/core/figures.ts';
import type { TokenRefusal } from '../../base/core/single-use-tokens.ts';

/** State at the scrape; the keys of `people` are type of client and role. */
export interface RoomReadings {
  sessions: number;
  waiting: number;
  people: ReadonlyMap<string, number>;
  sources: ReadonlyMap<string, number>;
  poorLinks: number;
}

/** Labels of a blocked source, from a closed set. */
type Blocked = [
  direction: 'send' | 'receive',
  source: 'audio' | 'video' | 'screen',
  reason: 'no_codec' | 'not_allowed' | 'not_offered',
];

export type TokenResult = 'issued' | 'used' | Exclude<TokenRefusal, 'used'> | 'reused';

export interface RoomMetrics {
  countToken(result: TokenResult): void;
  /** Counts a participant who left, by the link quality in the final report. */
  countReport(quality: string): void;
  countEngineRestart(): void;
  /** Counts a source whose media was not sent or received. */
  countBlocked(...blocked: Blocked): void;
  countConnection(direction: 'send' | 'receive', state: 'renewed' | 'failed'): void;
  /** Counts packets beyond the limit of one participant. */
  countDropped(source: 'audio' | 'video' | 'screen', packets: number): void;
  /** Counts connections closed because of their traffic. */
  countClosed(why: 'streams' | 'packets'): void;
}

/** Reads once per scrape for all gauges, because a reading covers all rooms. */
export function roomFigures(read: () => RoomReadings): FigureSource {
  let now: RoomReadings | undefined;
  const gauge = (
    name: string,
    help: string,
    value: (now: RoomReadings) => ReturnType<Figure['read']>,
    labels: readonly string[] = [],
  ): Figure => ({ name: `room_${name}`, type: 'gauge', help, labels, read: () => now && value(now) });
  return {
    async refresh() {
      now = read();
    },
    figures: [
      gauge('sessions', 'Active sessions of video rooms', ({ sessions }) => sessions),
      gauge('waiting', 'Participants in the lobby of a room', ({ waiting }) => waiting),
      gauge('poor_links', 'Participants of rooms with a poor link', ({ poorLinks }) => poorLinks),
      gauge(
        'participants',
        'Participants of rooms, by role and by connection type',
        ({ people }) =>
          [...people].map(([key, value]) => {
            const [by = '', role = ''] = key.split(' ');
            return { labels: { by, role }, value };
          }),
        ['by', 'role'],
      ),
      gauge(
        'published',
        'Published sources in rooms',
        ({ sources }) => [...sources].map(([source, value]) => ({ labels: { source }, value })),
        ['source'],
      ),
    ],
  };
}

const REPORTED: Readonly<Record<string, string>> = { Good: 'good', Bad: 'bad', Unknown: 'unknown' };

export function createRoomMetrics(registry: Registry): RoomMetrics {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: L[]): Counter<L> =>
    new Counter({ name: `callweave_${name}_total`, help, labelNames, registers });
  const tokens = counter('room_tokens', 'Room tokens: issued, used, or refused with the reason', ['result']);
  const reports = counter('room_reports', 'Participants who left a room, by the quality of their link', ['quality']);
  const restarts = counter('room_engine_restarts', 'Restarts of the media engine of rooms', []);
  const connections = counter(
    'room_connections_not_up',
    'Media connections that failed to connect in time and were renegotiated; `failed`: several times in a row',
    ['direction', 'state'],
  );
  const dropped = counter(
    'room_packets_dropped',
    'Packets of room participants above the bit rate or packet rate limit of their source',
    ['source'],
  );
  const closed = counter(
    'room_connections_closed',
    'Connections of room participants closed because of too many streams (SSRCs) or packets',
    ['why'],
  );
  const blocked = counter(
    'room_blocked_sources',
    'Blocked sources on an established connection, such as cameras with an unsupported codec',
    ['direction', 'source', 'reason'],
  );
  return {
    countToken: (result) => tokens.inc({ result }),
    countReport: (quality) => reports.inc({ quality: REPORTED[quality] ?? 'bad' }),
    countEngineRestart: () => restarts.inc(),
    countBlocked: (direction, source, reason) => blocked.inc({ direction, source, reason }),
    countConnection: (direction, state) => connections.inc({ direction, state }),
    countDropped: (source, packets) => dropped.inc({ source }, packets),
    countClosed: (why) => closed.inc({ why }),
  };
}
