/** Command palette (Ctrl K). Searches the commands and all `sources`: flows, steps, calls. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { commands } from './commands.ts';
import { Dialog } from './dialog.tsx';
import { Keys } from './keys.tsx';
import { rankOf } from './rank.ts';

export interface PaletteItem {
  title: string;
  /** Kind of the result. */
  kind: string;
  keys?: string;
  run(): void;
}

/** Search provider. Screens and modules add theirs. */
export type SearchSource = (wanted: string) => PaletteItem[] | Promise<PaletteItem[]>;
const sources = new Set<SearchSource>();

export function addSource(source: SearchSource): () => void {
  sources.add(source);
  return () => sources.delete(source);
}

const KINDS: Readonly<Record<string, string>> = {
  flow: t('flow'),
  step: t('step'),
  call: t('call'),
  command: t('command'),
};
const MOST = 40;

export function Palette({ close }: { close(): void }) {
  const wanted = useSignal('');
  const found = useSignal<PaletteItem[]>([]);
  const at = useSignal(0);
  /** Words that `found` is for. The sources answer later than keys are pressed. */
  const foundFor = useRef<string>(undefined);
  /** True after Enter before the sources have answered: their first result is chosen. */
  const isChosen = useRef(false);

  useEffect(() => {
    const isStill = { current: true };
    const own = commands.value.map((command): PaletteItem => ({ kind: 'command', ...command }));
    const search = async (): Promise<void> => {
      const lists = await Promise.all([...sources].map((source) => source(wanted.value)));
      if (!isStill.current) return;
      const ranked = [...lists.flat(), ...own]
        .map((each) => ({ each, rank: rankOf(each.title, wanted.value) }))
        .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
        .sort((one, other) => one.rank - other.rank);
      found.value = ranked.slice(0, MOST).map(({ each }) => each);
      at.value = 0;
      foundFor.current = wanted.value;
      if (isChosen.current) choose(found.value[0]);
    };
    void search();
    return () => {
      isStill.current = false;
    };
  }, [wanted.value]);

  const choose = (chosen: PaletteItem | undefined): void => {
    close();
    chosen?.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const by = moves[event.key];
    if (by !== undefined) {
      event.preventDefault();
      at.value = Math.max(0, Math.min(found.value.length - 1, at.value + by));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (foundFor.current === wanted.value) choose(found.value[at.value]);
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
        aria-label={t('Find flows, steps, calls and commands')}
        aria-expanded="true"
        aria-controls="palette-found"
        aria-activedescendant={found.value.length > 0 ? `palette-${at.value}` : undefined}
        placeholder={t('Flows, steps, calls, commands')}
        value={wanted.value}
        onInput={(event) => {
          wanted.value = event.currentTarget.value;
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-found" role="listbox" aria-label={t('Found')}>
        {found.value.map((each, index) => (
          <li
            key={`${each.kind} ${each.title}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at.value}
            onClick={() => choose(each)}
          >
            <span>{each.title}</span>
            <small>{KINDS[each.kind] ?? each.kind}</small>
            {each.keys !== undefined && <Keys of={each.keys} />}
          </li>
        ))}
        {found.value.length === 0 && <li class="nothing">{t('No results')}</li>}
      </ul>
    </Dialog>
  );
}
