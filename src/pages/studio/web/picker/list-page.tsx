/** First page of the list of steps: a combobox with groups at the left and the steps at the right. */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { LanguageVerb } from '../../../../language/flow/text/language.ts';
import { Icon } from '../icons.tsx';
import { Keys } from '../shell/keys.tsx';
import { listenToDrags, type StepDragTarget } from './drag-step.ts';
import type { StepItem } from './search-steps.ts';
import { type PickerSection, type SectionSource, sectionsFor } from './sections.ts';
import { StepWords } from './step-words.tsx';
import { type GROUPS, WORDS } from './words.ts';

interface ListPageProps {
  source: SectionSource;
  choose(item: StepItem, isOn: boolean): void;
  /** The marked step has changed. */
  mark(item: StepItem | undefined): void;
  drags: ListDrags;
}

/** Drags of the steps of the list. */
export interface ListDrags extends Omit<StepDragTarget, 'begin'> {
  begin(item: StepItem): boolean;
}

interface Option {
  id: string;
  section: PickerSection;
  item: StepItem;
}

export function ListPage({ source, choose, mark: onMark, drags }: ListPageProps) {
  const query = useSignal('');
  const marked = useSignal(0);
  const hasHelp = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const sections = useComputed(() => sectionsFor(query.value, source)).value;
  const options = sections.flatMap((section) =>
    section.items.map((item, index): Option => ({ id: `picker-${section.id}-${index}`, section, item })),
  );
  const current = options[Math.min(marked.value, options.length - 1)];
  const isSearch = query.value.trim() !== '';

  useEffect(() => field.current?.focus(), []);
  // Before the list is placed, because it leaves room for the ghost of the marked step.
  useLayoutEffect(() => onMark(current?.item), [current?.id, query.value, source]);
  const latest = useRef({ options, drags });
  latest.current = { options, drags };
  useEffect(() => {
    const begin = (row: Element): boolean => {
      const dragged = latest.current.options.find(({ id }) => id === row.id);
      return dragged !== undefined && latest.current.drags.begin(dragged.item);
    };
    return listenToDrags(list.current!, '.picker-step', {
      begin,
      move: (x, y) => latest.current.drags.move(x, y),
      drop: (x, y) => latest.current.drags.drop(x, y),
      cancel: () => latest.current.drags.cancel(),
    });
  }, []);
  useEffect(() => {
    const option = current && list.current?.querySelector(`#${current.id}`);
    const isFirst = current === undefined || current.section.items[0] === current.item;
    // With the first step of a group its heading comes into view, too.
    (isFirst ? (option?.parentElement ?? list.current) : option)?.scrollIntoView({ block: 'nearest' });
    option?.scrollIntoView({ block: 'nearest' });
  }, [current?.id]);

  const mark = (index: number): void => {
    marked.value = Math.max(0, Math.min(options.length - 1, index));
  };
  const goTo = (section: PickerSection | undefined): void => {
    const first = options.findIndex((option) => option.section === section);
    if (first >= 0) mark(first);
  };
  const bySection = (by: 1 | -1): void => goTo(current && sections[sections.indexOf(current.section) + by]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const keys: Record<string, () => void> = {
      ArrowDown: () => mark(marked.value + 1),
      ArrowUp: () => mark(marked.value - 1),
      PageDown: () => bySection(1),
      PageUp: () => bySection(-1),
      Enter: () => current && choose(current.item, event.ctrlKey || event.metaKey),
      F1: () => {
        hasHelp.value = !hasHelp.value;
      },
      ...(!isSearch && { ArrowRight: () => bySection(1), ArrowLeft: () => bySection(-1) }),
    };
    const run = event.isComposing ? undefined : keys[event.key];
    if (run === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };

  return (
    <>
      <div class="picker-search">
        <Icon name="search" />
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-label={WORDS.search}
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls="picker-list"
          aria-activedescendant={current?.id}
          placeholder={WORDS.search}
          autocomplete="off"
          spellcheck={false}
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
            marked.value = 0;
          }}
          onKeyDown={onKeyDown}
        />
        <span role="status">{isSearch && WORDS.found(options.length)}</span>
      </div>
      <GroupList
        sections={isSearch ? [] : sections}
        source={source}
        current={current}
        goTo={(section) => {
          query.value = '';
          goTo(section);
          field.current?.focus();
        }}
      />
      <div class="picker-list" role="listbox" id="picker-list" aria-label={WORDS.list} ref={list} tabIndex={-1}>
        {sections.map((section) => (
          <div role="group" aria-labelledby={`picker-title-${section.id}`} key={section.id}>
            <div role="presentation" class="picker-title" id={`picker-title-${section.id}`}>
              {section.title}
            </div>
            {options
              .filter((option) => option.section === section)
              .map((option) => (
                <StepOption
                  key={option.id}
                  option={option}
                  verb={source.verbs[option.item.verb]}
                  isMarked={option === current}
                  choose={(isOn) => choose(option.item, isOn)}
                  mark={() => mark(options.indexOf(option))}
                />
              ))}
          </div>
        ))}
        {isSearch && (options.length === 0 || sections[0]?.id === 'meant') && (
          <p class="picker-nothing">
            {WORDS.nothing(query.value.trim())}{' '}
            <button
              type="button"
              class="button quiet"
              onClick={() => {
                query.value = '';
                field.current?.focus();
              }}
            >
              {WORDS.all}
            </button>
          </p>
        )}
      </div>
      {hasHelp.value && current && <p class="picker-help">{helpOf(current.item, source)}</p>}
      <footer class="picker-keys">
        <span>
          <Keys of="ArrowUp" /> <Keys of="ArrowDown" /> {WORDS.keys.choose}
        </span>
        <span>
          <Keys of="Enter" /> {WORDS.keys.add}
        </span>
        <span>
          <Keys of="Ctrl+Enter" /> {WORDS.keys.addOn}
        </span>
        <span>
          <Keys of="Escape" /> {WORDS.keys.close}
        </span>
      </footer>
    </>
  );
}

const helpOf = ({ template, sentence, verb }: StepItem, { verbs }: SectionSource): string | undefined =>
  template === undefined ? verbs[verb]?.summary : sentence;

interface StepOptionProps {
  option: Option;
  verb: LanguageVerb | undefined;
  isMarked: boolean;
  choose(isOn: boolean): void;
  mark(): void;
}

function StepOption({ option: { id, item }, verb, isMarked, choose, mark }: StepOptionProps) {
  return (
    <div
      role="option"
      tabIndex={-1}
      id={id}
      aria-selected={isMarked}
      class={`picker-step g-${verb?.group ?? 'logic'}`}
      data-verb={item.verb}
      onPointerMove={mark}
      onClick={(event) => choose(event.ctrlKey || event.metaKey)}
    >
      <StepWords step={item} />
      {isMarked ? <Keys of="Enter" /> : item.template === undefined && <code>{item.verb}</code>}
    </div>
  );
}

interface GroupListProps {
  /** Empty during a search. */
  sections: readonly PickerSection[];
  source: SectionSource;
  current: Option | undefined;
  goTo(section: PickerSection | undefined): void;
}

/** Groups with the number of their steps. During a search, that of the marked step is marked. */
function GroupList({ sections, source, current, goTo }: GroupListProps) {
  const all = sections.length > 0 ? sections : sectionsFor('', source);
  const marked = sections.length > 0 ? current?.section.id : groupOf(current, source);
  return (
    <nav class="picker-groups" aria-label={WORDS.groups}>
      {all.map((section) => (
        <button
          key={section.id}
          type="button"
          aria-current={section.id === marked ? 'true' : undefined}
          class={`p-${section.id}`}
          onClick={() => goTo(section)}
        >
          <i />
          {section.title}
          <span>{section.items.length}</span>
        </button>
      ))}
    </nav>
  );
}

const groupOf = (
  option: Option | undefined,
  { verbs }: SectionSource,
): keyof typeof GROUPS | 'templates' | undefined =>
  option?.item.template === undefined ? option && verbs[option.item.verb]?.picker?.group : 'templates';
