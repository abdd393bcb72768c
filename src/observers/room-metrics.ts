/** Metrics of video rooms. Labels come from closed sets: a room or a person is never a label. */
import { Counter, Gauge, type Registry } from 'prom-client';

/** What goes on when it is scraped; keys of `people` are what they come with, and their role. */
export interface RoomReadings {
  sessions: number;
  waiting: number;
  people: ReadonlyMap<string, number>;
  sources: ReadonlyMap<string, number>;
  poorLinks: number;
}

export interface RoomMetrics {
  countToken(result: 'issued' | 'used' | 'malformed' | 'forged' | 'foreign' | 'expired' | 'reused'): void;
  /** Somebody left: what their report says of their link. */
  countReport(quality: string): void;
  countEngineRestart(): void;
  /** What somebody sends or receives did not come through. */
  countConnection(direction: 'send' | 'receive', state: 'renewed' | 'failed'): void;
}

export function createRoomMetrics(registry: Registry, read: () => RoomReadings): RoomMetrics {
  const registers = [registry];
  const gauge = <L extends string>(name: string, help: string, labelNames: L[], collect: (made: Gauge<L>) => void) => {
    new Gauge<L>({
      name: `callweave_${name}`,
      ...{ help, labelNames, registers },
      collect() {
        this.reset();
        collect(this);
      },
    });
  };
  gauge('room_sessions', 'Sessions of video rooms that go on', [], (made) => made.set(read().sessions));
  gauge('room_waiting', 'People who wait before the door of a room', [], (made) => made.set(read().waiting));
  gauge('room_poor_links', 'People in rooms whose link is poor', [], (made) => made.set(read().poorLinks));
  gauge('room_participants', 'People in rooms, by role and by what they come with', ['by', 'role'], (made) => {
    for (const [key, count] of read().people) {
      const [by = '', role = ''] = key.split(' ');
      made.set({ by, role }, count);
    }
  });
  gauge('room_published', 'What people in rooms publish', ['source'], (made) => {
    for (const [source, count] of read().sources) made.set({ source }, count);
  });
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
  return {
    countToken: (result) => tokens.inc({ result }),
    countReport: (quality) => reports.inc({ quality: quality === 'Good' ? 'good' : 'bad' }),
    countEngineRestart: () => restarts.inc(),
    countConnection: (direction, state) => connections.inc({ direction, state }),
  };
}
