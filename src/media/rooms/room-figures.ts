/** Room figures for the metrics: current values are counted when they are read, events are accumulated. */
import type { RoomSession } from './session.ts';

export interface RoomFigures {
  sessions: number;
  waiting: number;
  /** Participants by client and role: `browser moderator`. */
  people: ReadonlyMap<string, number>;
  /** Published sources, by source. */
  sources: ReadonlyMap<string, number>;
  poorLinks: number;
}

export function figuresOf(sessions: Iterable<RoomSession>): RoomFigures {
  const people = new Map<string, number>();
  const sources = new Map<string, number>();
  const all = [...sessions];
  const inside = all.flatMap((session) => session.inside);
  for (const { isPhone, role, published } of inside) {
    count(people, `${isPhone ? 'telephone' : 'browser'} ${role}`);
    for (const source of published) count(sources, source);
  }
  return {
    sessions: all.filter((session) => session.wasActive).length,
    waiting: all.reduce((sum, session) => sum + session.lobby.length, 0),
    ...{ people, sources },
    poorLinks: inside.filter(({ poorLink }) => poorLink).length,
  };
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
