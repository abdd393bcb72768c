/** Command palette (Ctrl K). Searches the commands and all `sources`: `search/sources.ts` has most of them. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { commands } from './commands.ts';
import { Dialog } from './dialog.tsx';
import { Keys } from './keys.tsx';
import { groupsOf, type SearchItem } from './search-groups.ts';

export interface PaletteItem extends SearchItem {
  keys?: string;
  run(): void;
}

/** Search provider. Screens and modules add theirs. `signal`: aborted when the words change. */
export type SearchSource = (wanted: string, signal: AbortSignal) => PaletteItem[] | Promise<PaletteItem[]>;
const sources = new Set<SearchSource>();

export function addSource(source: SearchSource): () => void {
  sources.add(source);
  return () => sources.delete(source);
}

export function Palette({ close }: { close(): void }) {
  const wanted = useSignal('');
  const items = useSignal<readonly PaletteItem[]>([]);
  const at = useSignal(0);
  /** Words that all sources have answered. They answer later than keys are pressed. */
  const answered = useSignal<string | undefined>(undefined);
  /** True after Enter before the sources have answered: their first result is chosen. */
  const isChosen = useRef(false);

  useEffect(() => {
    const ended = new AbortController();
    const own = commands.value.map((command): PaletteItem => ({ kind: t('Commands'), ...command }));
    const lists = new Map<SearchSource, readonly PaletteItem[]>();
    const show = (): void => {
      items.value = [...[...sources].flatMap((source) => lists.get(source) ?? []), ...own];
    };
    const ask = async (source: SearchSource): Promise<void> => {
      // A source that fails has no results.
      const found = await Promise.resolve(source(wanted.value, ended.signal)).catch(() => []);
      if (ended.signal.aborted) return;
      lists.set(source, found);
      show();
    };
    at.value = 0;
    show();
    void Promise.all([...sources].map(ask)).then(() => {
      if (ended.signal.aborted) return;
      answered.value = wanted.value;
      if (isChosen.current) choose(groupsOf(items.value, wanted.value)[0]?.items[0]);
    });
    return () => ended.abort();
  }, [wanted.value]);

  const groups = groupsOf(items.value, wanted.value);
  const found = groups.flatMap((group) => group.items);
  const active = Math.min(at.value, found.length - 1);

  const choose = (chosen: PaletteItem | undefined): void => {
    close();
    chosen?.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const by = moves[event.key];
    if (by !== undefined) {
      event.preventDefault();
      at.value = Math.max(0, Math.min(found.length - 1, active + by));
      requestAnimationFrame(() => document.getElementById(`palette-${at.value}`)?.scrollIntoView({ block: 'nearest' }));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (answered.value === wanted.value) choose(found[active]);
      else isChosen.current = true;
    }
  };

  return (
    <Dialog title={t('Find')} close={close} class="palette">
      <input
        type="search"
        autofocus
        role="combobox"
        list={undefined}
        aria-label={t('Find flows, steps, words, calls, settings and commands')}
        aria-expanded="true"
        aria-controls="palette-found"
        aria-activedescendant={found.length > 0 ? `palette-${active}` : undefined}
        placeholder={t('Flows, steps, words, calls, numbers, settings, commands')}
        value={wanted.value}
        onInput={(event) => {
          wanted.value = event.currentTarget.value;
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-found" class="palette-found" role="listbox" aria-label={t('Found')}>
        {groups.map((group) => (
          <div key={group.kind} role="group" aria-label={group.kind}>
            <div class="palette-kind" aria-hidden="true">
              {group.kind}
            </div>
            {group.items.map((each) => {
              const index = found.indexOf(each);
              return (
                <div
                  key={`${each.title} ${each.where}`}
                  id={`palette-${index}`}
                  class="palette-item"
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === active}
                  onClick={() => choose(each)}
                >
                  <span>{each.title}</span>
                  {each.where !== undefined && <small>{each.where}</small>}
                  {each.keys !== undefined && <Keys of={each.keys} />}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <p class="palette-count" role="status">
        {answered.value === wanted.value ? countWords(found.length) : t('Searching…')}
      </p>
    </Dialog>
  );
}

const countWords = (count: number): string =>
  count === 0 ? t('No results') : t('{count, plural, one {# result} other {# results}}', { count });
