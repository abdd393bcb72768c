/**
 * Content of the right column of the flow editor: the form or the YAML. The browser keeps the choice. A link can ask for
 * either with `show`; narrow and low screens show the graph, the form or the YAML alone.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import { CONTROLS } from '../shell/commands.ts';
import { location, setQuery } from '../shell/router.ts';
import type { ViewTab } from '../shell/view-tabs.tsx';

function matchesNow(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener('change', () => {
    matches.value = list.matches;
  });
  return matches;
}

/** On a wide screen, the column shows both. */
export const isWide = matchesNow('(min-width: 1680px) and (min-height: 500px)');
/** On a medium screen, the column is a drawer over the graph. */
const isDrawer = matchesNow('(min-width: 701px) and (max-width: 1099px) and (min-height: 500px)');
/** Width of the drawer, in px. */
const DRAWER_WIDTH = 400;
/** The user's choice. Without one, the drawer is open while a step is selected. */
const drawer = signal<boolean | undefined>(undefined);

/** `open` or `closed`; undefined if the column is beside the graph. */
export function drawerNow(selected: string | undefined): 'open' | 'closed' | undefined {
  if (!isDrawer.value) return undefined;
  const isAsked = selected !== undefined || location.value.query['show'] !== undefined;
  return (drawer.value ?? isAsked) ? 'open' : 'closed';
}

/** Width of the graph that the drawer covers, in px. */
export const coveredWidth = (selected: string | undefined): number =>
  drawerNow(selected) === 'open' ? DRAWER_WIDTH : 0;

export function openDrawer(): void {
  drawer.value = true;
}

export function closeDrawer(): void {
  drawer.value = false;
  setQuery({ show: undefined });
}

export type Column = 'form' | 'yaml';

export const COLUMN_KEY = 'flow editor shows';
const kept = signal<Column>(localStorage.getItem(COLUMN_KEY) === 'yaml' ? 'yaml' : 'form');

const SHOWN: Readonly<Record<string, Column>> = { text: 'yaml', form: 'form' };

export const columnNow = (): Column => SHOWN[location.value.query['show'] ?? ''] ?? kept.value;

export function chooseColumn(column: Column): void {
  localStorage.setItem(COLUMN_KEY, column);
  kept.value = column;
  openDrawer();
  setQuery({ show: undefined });
}

/** Shows the help of the verb, below the YAML. */
export const showHelp = (): void => setQuery({ show: 'text', help: 'yes' });

/** Parts of the editor on a narrow or low screen. */
export const VIEWS: readonly ViewTab[] = [
  [t('Graph'), undefined],
  [t('Form'), 'form'],
  ['YAML', 'text'],
];

/** Moves the focus into the form, which a narrow or low screen shows alone. */
export function focusForm(): void {
  const pane = document.querySelector('.form-pane');
  if (pane?.checkVisibility() === false) setQuery({ show: 'form' });
  requestAnimationFrame(() => pane?.querySelector<HTMLElement>(`.form-section :is(${CONTROLS})`)?.focus());
}

/** Moves the focus to the selected card, or into the graph without one. */
export function focusGraph(): void {
  const graph = document.querySelector<HTMLElement>('.graph-pane');
  const card = graph?.querySelector<HTMLElement>('.card[tabindex="0"]');
  (card ?? graph)?.focus({ preventScroll: true });
}
