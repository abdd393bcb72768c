/**
 * Router of the studio. The URL contains the complete view state, so that a link shows the same to another user. A
 * location is a path and the selection on its screen (the query). `screens.ts` has a row for each path.
 */
import { signal } from '@preact/signals';
import { addressAtService } from '../../../shared/web/service-root.ts';

const BASE = addressAtService('/studio');

export interface StudioLocation {
  /** Path below `/studio` without a trailing slash: `/flows/welcome-menu`. */
  path: string;
  query: Readonly<Record<string, string>>;
}

export const location = signal<StudioLocation>(locationOf(globalThis.location.pathname, globalThis.location.search));

addEventListener('popstate', () => {
  location.value = locationOf(globalThis.location.pathname, globalThis.location.search);
});

/** Navigates to another location, with a history entry. */
export function navigate(path: string, query: StudioLocation['query'] = {}): void {
  show({ path, query }, 'push');
}

/** Changes the selection on this screen without a history entry. Undefined removes a key. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const query = { ...location.value.query, ...changes };
  const kept = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  show({ path: location.value.path, query: Object.fromEntries(kept) }, 'replace');
}

/** URL of a location, for links. */
export function addressOf(path: string, query: StudioLocation['query'] = {}): string {
  const search = new URLSearchParams(query).toString();
  return `${BASE}${path}${search === '' ? '' : `?${search}`}`;
}

function show(next: StudioLocation, how: 'push' | 'replace'): void {
  const address = addressOf(next.path, next.query);
  if (address === globalThis.location.pathname + globalThis.location.search) return;
  if (how === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  location.value = next;
}

function locationOf(pathname: string, search: string): StudioLocation {
  const below = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : pathname;
  const path = below.replace(/\/+$/, '') || '/';
  return { path, query: Object.fromEntries(new URLSearchParams(search)) };
}

/** Parameters of a path that matches a pattern such as `/flows/:name`. Undefined if it does not match. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index]!;
    if (part.startsWith(':')) found[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return found;
}

/** Follows links within the studio without a page load. */
export function followLinks(event: MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || link.target !== '' || link.origin !== globalThis.location.origin) return;
  if (!link.pathname.startsWith(`${BASE}/`) || link.hasAttribute('download')) return;
  event.preventDefault();
  const next = locationOf(link.pathname, link.search);
  navigate(next.path, next.query);
}

export const addressOfFlow = (name: string): string => `/flows/${encodeURIComponent(name)}`;

export const goToFlow = (name: string, step?: string): void =>
  navigate(addressOfFlow(name), step === undefined ? {} : { step });
