/**
 * People in the studio: where they are, and what they save and comment. One event stream for the page, open while a
 * component uses it and the page is visible; a heartbeat reports the place of this tab.
 *
 * Invariants
 * - a tab reports each move at once, and its place every 15 s: after 25 s without, the service forgets it;
 * - a hidden page keeps its place but no stream: a browser opens only six connections to a service.
 */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Json } from '../../../../base/core/json.ts';
import { openStream } from '../live/stream.ts';
import { session } from '../shell/session.ts';
import { type LatestSave, type PersonInFlow, type PlaceInFlow, reportPlace } from './people-api.ts';

/** All people in the studio, with this one. */
export const people = signal<readonly PersonInFlow[]>([]);
/** Latest save of each flow, by its name. */
export const saves = signal<ReadonlyMap<string, LatestSave>>(new Map());
/** Counts the changes of comments. */
export const commentChanges = signal(0);
/** Field of the form that has the focus. */
export const focusedField = signal<{ step: string; path: string } | undefined>(undefined);

/** Field that had the focus last. */
export const lastField = signal<{ step: string; path: string } | undefined>(undefined);

/** Name of the signed-in person. */
export const ownName = (): string | undefined =>
  typeof session.value === 'object' && session.value.role === 'admin' ? session.value.name : undefined;

/** Other people in a flow. */
export const othersIn = (flow: string): PersonInFlow[] =>
  people.value.filter((person) => person.flow === flow && person.who !== ownName());

const HEARTBEAT_MS = 15_000;
/** Delay after a move, because the selection can pass over several steps. */
const MOVED_MS = 300;

/** Parts that tests replace. */
export interface PeopleConnection {
  open: typeof openStream;
  report: typeof reportPlace;
  isVisible(): boolean;
}

const BROWSER: PeopleConnection = {
  open: openStream,
  report: reportPlace,
  isVisible: () => document.visibilityState === 'visible',
};

/** Follows the people, and reports the place of this tab. Returns a function that ends both. */
export function followPeople(
  place: ReadonlySignal<PlaceInFlow | undefined>,
  parts: PeopleConnection = BROWSER,
): () => void {
  const tab = crypto.randomUUID();
  let close: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** PlaceInFlow of the last heartbeat. */
  let reported: PlaceInFlow | undefined;

  const beat = (): void => {
    clearTimeout(timer);
    const here = place.peek();
    if (here === undefined && reported === undefined) return;
    reported = here;
    timer = setTimeout(beat, HEARTBEAT_MS);
    // The next heartbeat repeats a lost one.
    void parts.report(tab, here).then(
      (found) => {
        people.value = found;
      },
      () => undefined,
    );
  };
  const leave = (): void => {
    if (reported !== undefined) void parts.report(tab, undefined).catch(() => undefined);
    reported = undefined;
  };
  const follow = (): void => {
    if (!parts.isVisible()) {
      close?.();
      close = undefined;
      return;
    }
    close ??= parts.open('/admin/v1/studio/events', { onEvent: take, onState: () => undefined });
    beat();
  };
  addEventListener('visibilitychange', follow, { capture: true });
  addEventListener('pagehide', leave);
  follow();
  const end = effect(() => {
    if (place.value === reported) return;
    clearTimeout(timer);
    timer = setTimeout(beat, MOVED_MS);
  });
  return () => {
    end();
    clearTimeout(timer);
    close?.();
    leave();
    removeEventListener('visibilitychange', follow, { capture: true });
    removeEventListener('pagehide', leave);
  };
}

/** Records the latest save of a flow. */
export function recordSave(save: LatestSave): void {
  saves.value = new Map(saves.peek()).set(save.flow, save);
}

function take(event: string, data: Json): void {
  if (data === null || typeof data !== 'object' || Array.isArray(data)) return;
  if (event === 'people') people.value = data['people'] as unknown as PersonInFlow[];
  if (event === 'comments') commentChanges.value += 1;
  if (event === 'saved') recordSave(data as unknown as LatestSave);
}
