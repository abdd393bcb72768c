/** What the lists of the settings have in common: the field that filters them. */
import type { Signal } from '@preact/signals';
import type { Command } from '../shell/commands.ts';

const FILTER = 'settings-filter';

export const FilterField = ({ of, what }: { of: Signal<string>; what: string }) => (
  <input
    id={FILTER}
    type="search"
    class="list-filter"
    aria-label={`Filter ${what}`}
    placeholder="Filter  /"
    value={of.value}
    onInput={(event) => {
      of.value = event.currentTarget.value;
    }}
  />
);

export const filterCommand = (group: string): Command => ({
  title: `Filter ${group.toLowerCase()}`,
  keys: '/',
  group,
  run: () => document.getElementById(FILTER)?.focus(),
});
