/**
 * Content of the right column of the flow editor: the form or the YAML. The browser keeps the choice. A link can ask for
 * either with `show`; narrow screens show the graph, the form or the YAML alone.
 */
import { signal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import { location, setQuery } from '../shell/router.ts';

/** On a wide screen, the column shows both. */
const wide = matchMedia('(min-width: 1680px)');
export const isWide = signal(wide.matches);
wide.addEventListener('change', ({ matches }) => {
  isWide.value = matches;
});

export type Column = 'form' | 'yaml';

export const COLUMN_KEY = 'flow editor shows';
const kept = signal<Column>(localStorage.getItem(COLUMN_KEY) === 'yaml' ? 'yaml' : 'form');

const SHOWN: Readonly<Record<string, Column>> = { text: 'yaml', form: 'form' };

export const columnNow = (): Column => SHOWN[location.value.query['show'] ?? ''] ?? kept.value;

export function chooseColumn(column: Column): void {
  localStorage.setItem(COLUMN_KEY, column);
  kept.value = column;
  setQuery({ show: undefined });
}

/** Parts of the editor on a narrow screen, with the `show` that asks for each. */
export const VIEWS: readonly (readonly [title: string, show: string | undefined])[] = [
  [t('Graph'), undefined],
  [t('Form'), 'form'],
  ['YAML', 'text'],
];

/** Moves the focus into the form, which a narrow screen shows alone. */
export function focusForm(): void {
  const pane = document.querySelector('.form-pane');
  if (pane?.checkVisibility() === false) setQuery({ show: 'form' });
  requestAnimationFrame(() =>
    pane?.querySelector<HTMLElement>('.form-section :is(textarea, input, select, button)')?.focus(),
  );
}
