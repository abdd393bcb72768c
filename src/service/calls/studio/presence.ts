/**
 * Presence in the studio: the flow, step and field at which each person is. A tab reports its place with a heartbeat;
 * without one it is gone after `PRESENT_MS`. `studio-table.ts` shares the places between nodes.
 *
 * Invariants
 *  - A person counts once in a flow, at the place of the tab that moved last.
 *  - Each node measures the age of a heartbeat by its own clock, so that clocks of nodes may differ.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { defined, isObject, type Json } from '../../../base/core/json.ts';
import type { StudioTable } from './studio-table.ts';

export interface Place {
  flow: string;
  step?: string;
  /** Path of the field in its step, such as `play.prompt`. */
  field?: string;
}

export interface PersonAt extends Place {
  /** Name of the administrator. */
  who: string;
}

export interface StudioPresence {
  /** Heartbeat of a tab. Without a place, the tab is in no flow. */
  report(who: string, tab: string, place: Place | undefined): void;
  /** One entry for each person in each flow, by name. */
  list(): PersonAt[];
  close(): void;
}

export interface PresenceParts {
  table: StudioTable;
  clock: Clock;
  /** Called after the list has changed, here or on another node. */
  changed(): void;
}

/** A heartbeat arrives every 15 s. */
const PRESENT_MS = 25_000;
const MAX_TABS = 500;
const MAX_TABS_OF_PERSON = 20;
const KIND = 'tab ';

interface Tab {
  at: PersonAt;
  /** Count of moves of all tabs when this one moved last. */
  move: number;
  untilMs: number;
}

export function createPresence({ table, clock, changed }: PresenceParts): StudioPresence {
  /** In the order of their heartbeats. */
  const tabs = new Map<string, Tab>();
  let moves = 0;
  let timer: Timer | undefined;

  const read = (fields: readonly string[]): void => {
    let isChanged = false;
    for (const field of fields) {
      if (!field.startsWith(KIND)) continue;
      const known = tabs.get(field);
      const at = personIn(table.get(field));
      const isMoved = JSON.stringify(known?.at) !== JSON.stringify(at);
      tabs.delete(field);
      if (isMoved) moves += 1;
      const untilMs = clock.monotonicMs() + PRESENT_MS;
      if (at) tabs.set(field, { at, untilMs, move: isMoved ? moves : known!.move });
      isChanged ||= isMoved;
    }
    expireLater();
    if (isChanged) changed();
  };

  const remove = (field: string): void => void table.remove(field).catch(() => undefined);

  const expireLater = (): void => {
    timer?.cancel();
    const [oldest] = tabs.values();
    timer = oldest && clock.after(Math.max(0, oldest.untilMs - clock.monotonicMs()), expire);
  };

  const expire = (): void => {
    const nowMs = clock.monotonicMs();
    const gone = [...tabs].flatMap(([field, { untilMs }]) => (untilMs <= nowMs ? field : []));
    for (const field of gone) {
      tabs.delete(field);
      remove(field);
    }
    expireLater();
    if (gone.length > 0) changed();
  };

  const hasRoom = (who: string): boolean => {
    const own = [...tabs].flatMap(([field, { at }]) => (at.who === who ? field : []));
    if (own.length >= MAX_TABS_OF_PERSON) remove(own[0]!);
    return tabs.size < MAX_TABS;
  };

  table.onChange(read);
  read(table.entries().map(([field]) => field));
  return {
    report(who, tab, place) {
      const field = `${KIND}${who} ${tab}`;
      if (place === undefined) {
        if (tabs.has(field)) remove(field);
        return;
      }
      if (!tabs.has(field) && !hasRoom(who)) return;
      // The time makes each heartbeat a change, which the other nodes see. A lost one is followed by the next.
      void table.put(field, JSON.stringify({ ...place, who, at: clock.now() })).catch(() => undefined);
    },
    list() {
      const latest = new Map<string, Tab>();
      for (const tab of tabs.values()) {
        const key = `${tab.at.flow} ${tab.at.who}`;
        if ((latest.get(key)?.move ?? 0) < tab.move) latest.set(key, tab);
      }
      return [...latest.values()].map(({ at }) => at).sort((one, other) => one.who.localeCompare(other.who));
    },
    close: () => timer?.cancel(),
  };
}

function personIn(text: string | undefined): PersonAt | undefined {
  if (text === undefined) return undefined;
  const said = JSON.parse(text) as Json;
  if (!isObject(said)) return undefined;
  const { who, flow, step, field } = said as unknown as PersonAt;
  return defined<PersonAt>({ who, flow, step, field });
}
