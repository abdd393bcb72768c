/** Metrics of video rooms. Labels come from closed sets: a room or a person is never a label. */
import { Counter, type Registry } from 'prom-client';
import type { Figure, FigureSource } from '../core/figures.ts';
import type { TokenRefusal } from '../core/single-use-tokens.ts';

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
      gauge('sessions', 'Sessions of video rooms that go on', ({ sessions }) => sessions),
      gauge('waiting', 'People who wait before the door of a room', ({ waiting }) => waiting),
      gauge('poor_links', 'People in rooms whose link is poor', ({ poorLinks }) => poorLinks),
      gauge(
        'participants',
        'People in rooms, by role and by what they come with',
        ({ people }) =>
          [...people].map(([key, value]) => {
            const [by = '', role = ''] = key.split(' ');
            return { labels: { by, role }, value };
          }),
        ['by', 'role'],
      ),
      gauge(
        'published',
        'What people in rooms publish',
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
  const tokens = counter('room_tokens', 'Tokens of rooms: issued, used, or refused and why', ['result']);
  const reports = counter('room_reports', 'People who left a room, by the quality of their link', ['quality']);
  const restarts = counter('room_engine_restarts', 'How often the engine of rooms died and was started again', []);
  const connections = counter(
    'room_connections_not_up',
    'Connections for media that did not come up in time, and were made anew; `failed`: several times in a row',
    ['direction', 'state'],
  );
  const dropped = counter(
    'room_packets_dropped',
    'Packets of participants of rooms beyond the bit rate or the packet rate of their source',
    ['source'],
  );
  const closed = counter(
    'room_connections_closed',
    'Connections of participants of rooms closed because of too many streams (SSRCs) or packets',
    ['why'],
  );
  const blocked = counter(
    'room_blocked_sources',
    'Sources that did not come through although the connection was up, such as cameras in a codec that is not forwarded',
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
