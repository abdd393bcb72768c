/** Field that finds steps in the picture (Ctrl F), with the list of its hits. Other steps are dimmed. */
import { useEffect, useRef } from 'preact/hooks';
import type { FlowGraph, GraphStep } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { VerbIcon } from '../icons.tsx';
import { useCommands } from '../shell/commands.ts';
import type { KeyTargets } from './key-targets.ts';
import type { SearchState } from './search-state.ts';
import { type FoundSteps, findSteps, understood } from './step-query.ts';

interface SearchBoxProps {
  search: SearchState;
  graph: FlowGraph;
  /** Finds steps by more than the graph shows. */
  find: ((query: string) => FoundSteps) | undefined;
  targets(): KeyTargets;
  /** Moves the focus back into the picture. */
  leave(): void;
}

const FIELD = 'graph-search-field';

/** Opens the field, or goes back to it. */
export function beginSearch(search: SearchState): void {
  search.begin();
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>(`#${FIELD}`)?.select());
}

export function SearchBox({ search, graph, find, targets, leave }: SearchBoxProps) {
  useEffect(
    () =>
      search.use(
        find ??
          ((query) =>
            findSteps(
              query,
              graph.steps.map((step) => ({ step })),
            )),
      ),
    [find, graph],
  );
  const isOpen = search.query.value !== undefined;
  const go = (by: 1 | -1): void => {
    const step = search.next(by);
    if (step !== undefined) showStep(step, targets());
  };
  const close = (): void => {
    search.end();
    leave();
  };
  useCommands(
    () => [
      { title: t('Find steps in the graph'), keys: 'Ctrl+f', group: 'Graph', run: () => beginSearch(search) },
      ...(isOpen
        ? [
            { title: t('Next hit'), keys: 'F3', group: 'Graph', run: () => go(1) },
            { title: t('Previous hit'), keys: 'Shift+F3', group: 'Graph', run: () => go(-1) },
            { title: t('End the search'), keys: 'Escape', group: 'Graph', run: close },
          ]
        : []),
    ],
    [isOpen],
  );
  if (!isOpen) return null;
  const steps = new Map(graph.steps.map((step) => [step.name, step]));
  const found = search.found.value;
  const hits = search.steps.value;
  const at = search.at.value;
  const press = (event: KeyboardEvent): void => {
    const act = KEYS[`${event.shiftKey ? 'Shift+' : ''}${event.key}`];
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (act === 'close') close();
    else go(act);
  };
  return (
    <search class="graph-search">
      <div class="graph-search-field">
        <input
          id={FIELD}
          type="search"
          list={undefined}
          role="combobox"
          aria-label={t('Find steps')}
          aria-expanded={hits.length > 0}
          aria-controls="graph-search-hits"
          aria-autocomplete="list"
          aria-describedby="graph-search-said"
          {...(at >= 0 && { 'aria-activedescendant': `graph-search-hit-${at}` })}
          placeholder={t('Name, words, verb:request')}
          spellcheck={false}
          value={search.query.value}
          onInput={(event) => search.type(event.currentTarget.value)}
          onKeyDown={press}
        />
        <button type="button" aria-label={t('End the search')} title={t('End the search (Esc)')} onClick={close}>
          ✕
        </button>
      </div>
      <p
        id="graph-search-said"
        class={found !== undefined && 'problem' in found ? 'bad' : undefined}
        aria-live="polite"
      >
        {saidOf(found, at, hits.length, graph.steps.length)}
      </p>
      <ul id="graph-search-hits" role="listbox" aria-label={t('Steps found')}>
        {hits.map((name, index) => (
          <Hit
            key={name}
            step={steps.get(name)}
            id={`graph-search-hit-${index}`}
            isActive={index === at}
            take={() => {
              search.at.value = index;
              showStep(name, targets());
            }}
          />
        ))}
      </ul>
    </search>
  );
}

const KEYS: Readonly<Record<string, 1 | -1 | 'close'>> = {
  ...{ Enter: 1, ArrowDown: 1, F3: 1 },
  ...{ 'Shift+Enter': -1, ArrowUp: -1, 'Shift+F3': -1 },
  Escape: 'close',
};

function saidOf(found: FoundSteps | undefined, at: number, hits: number, steps: number): string {
  if (found === undefined) return understood();
  if ('problem' in found) return found.problem;
  if (at >= 0) return t('{at} of {hits}', { at: at + 1, hits });
  return t('{hits} of {count, plural, one {# step} other {# steps}}', { hits, count: steps });
}

interface HitProps {
  step: GraphStep | undefined;
  id: string;
  isActive: boolean;
  take(): void;
}

function Hit({ step, id, isActive, take }: HitProps) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  if (step === undefined) return null;
  return (
    <li ref={row} id={id} role="option" aria-selected={isActive} onClick={take}>
      <VerbIcon verb={step.verb} />
      <b>{step.name}</b>
      <span>{step.section ?? step.about}</span>
    </li>
  );
}

/** Shows a step, and unfolds the groups that it is in. The focus stays in the field. */
function showStep(step: string, { state, folds, selected, several, showCard }: KeyTargets): void {
  const around = folds().filter(({ id, members }) => state.folded.value.has(id) && members.includes(step));
  if (around.length > 0) {
    const folded = new Set(state.folded.value);
    for (const { id } of around) folded.delete(id);
    state.folded.value = folded;
  }
  several?.clear();
  state.exit.value = 0;
  selected.value = step;
  showCard(step);
}
