/** Screen `/flows`: all flows with their numbers and diagnostics. */
import './flow-list.css';
import { signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { Empty } from '../empty-screen/empty.tsx';
import { deleteFlow, type ListedFlowData, listFlows, readFlow, writeFlow } from '../flow-api.ts';
import { Icon } from '../icons.tsx';
import type { PlaceInFlow } from '../people/people-api.ts';
import { PeopleAt } from '../people/people-here.tsx';
import { followPeople, ownName } from '../people/people-store.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { styled } from '../shell/later-files.ts';
import { useLazyScreen } from '../shell/lazy-screen.ts';
import { tell, tellError } from '../shell/messages.tsx';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf, location, navigate, setQuery } from '../shell/router.ts';
import { focusIfNowhere } from '../shell/rows.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { type Asked, FlowQuestion } from './flow-question.tsx';
import { forgetText, keptTexts } from './kept-texts.ts';
import { NumberDialog } from './number-dialog.tsx';
import { phoneAddress } from './phone-address.ts';
import { SmallDrawing } from './small-drawing.tsx';

const loadNewFlow = styled(async () => (await import('./new-flow.tsx')).NewFlow);

export function FlowList() {
  const flows = useSignal<readonly ListedFlowData[] | undefined>(undefined);
  /** Names of flows with unsaved text in this browser. */
  const unsaved = useSignal<ReadonlySet<string>>(new Set());
  const asked = useSignal<Asked | undefined>(undefined);
  const isMaking = useSignal(location.peek().query['new'] !== undefined);
  const { code: NewFlow } = useLazyScreen(isMaking.value ? loadNewFlow : undefined);
  const numbered = useSignal<string | undefined>(undefined);
  const at = useSignal(0);
  const filter = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const wanted = location.value.query['find'] ?? '';
  const shown = useComputed(() => {
    const words = (location.value.query['find'] ?? '').toLowerCase();
    return (flows.value ?? []).filter(({ name, numbers }) =>
      [name, ...numbers].some((each) => each.toLowerCase().includes(words)),
    );
  });
  const load = async (): Promise<void> => {
    flows.value = (await listFlows()).toSorted(
      (one, other) => Number(one.built_in) - Number(other.built_in) || one.name.localeCompare(other.name),
    );
  };
  useEffect(() => {
    load().catch(tellError);
    void keptTexts().then((kept) => {
      unsaved.value = new Set(kept.flatMap(({ name, who = ownName() }) => (who === ownName() ? name : [])));
    });
  }, []);
  useEffect(() => followPeople(NOWHERE), []);
  const isLoaded = flows.value !== undefined;
  useEffect(() => focusIfNowhere(currentLink(list.current)), [isLoaded]);

  const current = (): ListedFlowData | undefined => shown.value[Math.min(at.value, shown.value.length - 1)];
  const move = (by: number): void => {
    const isInside = list.current?.contains(document.activeElement) ?? false;
    at.value = Math.max(0, Math.min(shown.value.length - 1, at.value + (isInside ? by : 0)));
    requestAnimationFrame(() => currentLink(list.current)?.focus());
  };
  const duplicate = (flow: ListedFlowData | undefined): void => {
    if (flow === undefined) return;
    asked.value = {
      what: 'word',
      title: t('Duplicate {name}', { name: flow.name }),
      label: t('Name of the copy'),
      value: `${flow.name}-copy`,
      action: t('Duplicate'),
      refuse: (name) =>
        flows.value?.some((each) => each.name === name) ? t('There is a flow {name} already', { name }) : undefined,
      take: (name) => {
        const make = async (): Promise<void> => {
          const { text } = await readFlow(flow.name);
          const { renamedFlow } = await import('./new-flow.tsx');
          await writeFlow(name, renamedFlow(text, name), undefined, { isDraft: flow.errors > 0 });
          navigate(`/flows/${name}`);
        };
        make().catch(tellError);
      },
    };
  };
  const remove = (flow: ListedFlowData | undefined): void => {
    if (flow?.etag === undefined || flow.built_in) return;
    const { name, etag } = flow;
    asked.value = {
      what: 'list',
      title: t('Delete {name}?', { name }),
      items: [
        {
          label: t('Delete {name}', { name }),
          detail: t('its file is gone'),
          run: () => {
            const finish = async (): Promise<void> => {
              await deleteFlow(name, etag);
              await forgetText(name);
              tell(t('{name} is deleted', { name }));
              await load();
            };
            finish().catch(tellError);
          },
        },
      ],
    };
  };
  useCommands(
    () => [
      { title: t('New flow'), keys: 'n', group: t('Flows'), changes: true, run: () => (isMaking.value = true) },
      { title: t('Filter'), keys: '/', group: t('Flows'), run: () => filter.current?.focus() },
      { title: t('Duplicate the flow'), keys: 'd', group: t('Flows'), changes: true, run: () => duplicate(current()) },
      { title: t('Delete the flow'), keys: 'x', group: t('Flows'), changes: true, run: () => remove(current()) },
      ...PAGES.map(({ page, title, keys }) => ({
        title,
        keys,
        group: t('Flows'),
        run: () => {
          const flow = current();
          if (flow) navigate(`/flows/${encodeURIComponent(flow.name)}/${page}`);
        },
      })),
      { title: t('Next flow'), keys: 'ArrowDown', group: t('Flows'), run: () => move(1) },
      { title: t('Previous flow'), keys: 'ArrowUp', group: t('Flows'), run: () => move(-1) },
    ],
    [],
  );

  return (
    <Page
      title={t('Flows')}
      actions={
        <>
          <input
            ref={filter}
            type="search"
            class="filter"
            aria-label={t('Filter by name or number')}
            placeholder={`${t('Filter')}  /`}
            value={wanted}
            onInput={(event) => setQuery({ find: event.currentTarget.value || undefined })}
            onKeyDown={(event) => {
              if (event.key === 'Enter' || event.key === 'ArrowDown') {
                event.preventDefault();
                move(0);
              }
            }}
          />
          <WriteAccessOnly>
            <button type="button" class="button primary" onClick={() => (isMaking.value = true)}>
              {t('New flow')} <Keys of="n" />
            </button>
          </WriteAccessOnly>
        </>
      }
      status={flows.value && <Totals flows={flows.value} />}
    >
      <Pane label={t('Flows')}>
        {shown.value.length === 0 ? (
          <NoFlows
            isLoaded={flows.value !== undefined}
            isFiltered={wanted !== ''}
            make={() => (isMaking.value = true)}
          />
        ) : (
          <ul class="flow-list" ref={list}>
            {shown.value.map((flow, index) => (
              <Row
                key={flow.name}
                flow={flow}
                isCurrent={index === at.value}
                isUnsaved={flow.draft !== undefined || unsaved.value.has(flow.name)}
                take={() => {
                  at.value = index;
                }}
                giveNumber={() => (numbered.value = flow.name)}
                duplicate={() => duplicate(flow)}
                remove={() => remove(flow)}
              />
            ))}
          </ul>
        )}
      </Pane>
      {isMaking.value && NewFlow !== undefined && (
        <NewFlow
          flows={flows.value ?? []}
          wanted={location.value.query['new'] ?? ''}
          close={() => {
            isMaking.value = false;
            setQuery({ new: undefined });
          }}
        />
      )}
      {numbered.value !== undefined && (
        <NumberDialog
          flow={numbered.value}
          close={() => (numbered.value = undefined)}
          saved={() => void load().catch(tellError)}
        />
      )}
      {asked.value !== undefined && <FlowQuestion asked={asked.value} close={() => (asked.value = undefined)} />}
    </Page>
  );
}

/** PlaceInFlow of the list: no flow. */
const NOWHERE = signal<PlaceInFlow | undefined>(undefined);

const currentLink = (list: HTMLElement | null): HTMLElement | null =>
  list?.querySelector<HTMLElement>('[aria-current="true"] a') ?? null;

interface NoFlowsProps {
  isLoaded: boolean;
  isFiltered: boolean;
  make(): void;
}

function NoFlows({ isLoaded, isFiltered, make }: NoFlowsProps) {
  if (!isLoaded) return <p class="empty" aria-busy="true" />;
  if (isFiltered) {
    return (
      <Empty icon="search" text={t('No flow has this name or number.')}>
        <button type="button" class="button" onClick={() => setQuery({ find: undefined })}>
          {t('Show all flows')}
        </button>
      </Empty>
    );
  }
  return (
    <Empty icon="flows" text={t('No flows yet. A flow is what callers hear, and where their keys and words lead.')}>
      <WriteAccessOnly>
        <button type="button" class="button primary" onClick={make}>
          {t('New flow')}
        </button>
      </WriteAccessOnly>
    </Empty>
  );
}

/** Other pages of a flow, with their keys. */
const PAGES = [
  {
    page: 'simulate',
    icon: 'phone',
    title: t('Simulate a call of the flow'),
    titleOf: (name: string) => t('Simulate a call of {name}', { name }),
    keys: 's',
  },
  {
    page: 'tests',
    icon: 'tests',
    title: t('Tests of the flow'),
    titleOf: (name: string) => t('Tests of {name}', { name }),
    keys: 't',
  },
  {
    page: 'versions',
    icon: 'versions',
    title: t('Versions of the flow'),
    titleOf: (name: string) => t('Versions of {name}', { name }),
    keys: 'v',
  },
] as const;

interface RowProps {
  flow: ListedFlowData;
  isCurrent: boolean;
  isUnsaved: boolean;
  take(): void;
  giveNumber(): void;
  duplicate(): void;
  remove(): void;
}

const CALLS_TAKE = {
  file: '',
  earlier: ` · ${t('calls take an earlier version')}`,
  other: ` · ${t('calls take the flow of another file')}`,
  nothing: ` · ${t('calls cannot take it')}`,
};

function Row({ flow, isCurrent, isUnsaved, take, giveNumber, duplicate, remove }: RowProps) {
  const { name, numbers, errors, warnings, steps, tests, first, live_calls: live = 0, canary, comments = 0 } = flow;
  return (
    <li class={errors > 0 ? 'has-errors' : ''} aria-current={isCurrent}>
      <a href={addressOf(`/flows/${name}`)} onFocus={take}>
        <SmallDrawing flow={name} hash={flow.hash} />
        <span class="words">
          <span>
            <strong>{name}</strong> <PeopleAt flow={name} />
          </span>
          <small>
            {t('{count, plural, one {# step} other {# steps}}', { count: steps })}
            {flow.built_in ? ` · ${t('built in')}` : ''}
            {CALLS_TAKE[flow.calls_take]}
          </small>
        </span>
        <span class="numbers">
          {numbers.map((number) => (
            <span key={number}>
              <Icon name="calls" size={13} /> {number}
            </span>
          ))}
          {numbers[0] !== undefined && <small>{phoneAddress(numbers[0])}</small>}
        </span>
        <span class="state">
          {isUnsaved && <span class="unsaved">{t('your draft')}</span>}
          {comments > 0 && <span>{t('{count, plural, one {# comment} other {# comments}}', { count: comments })}</span>}
          {canary?.state === 'on' && <span class="canary">{t('canary {percent} %', { percent: canary.percent })}</span>}
          {live > 0 && <span class="live">{t('{count, plural, one {# call} other {# calls}}', { count: live })}</span>}
          {tests > 0 && <span>{t('{count, plural, one {# test} other {# tests}}', { count: tests })}</span>}
          {errors > 0 && (
            <span class="bad">✕ {t('{count, plural, one {# error} other {# errors}}', { count: errors })}</span>
          )}
          {warnings > 0 && (
            <span class="warn">! {t('{count, plural, one {# warning} other {# warnings}}', { count: warnings })}</span>
          )}
          {errors + warnings === 0 && <span class="good">{t('✓ no errors')}</span>}
        </span>
        {first !== undefined && (
          <span class="first">{t('line {line}: {message}', { line: first.line, message: first.message })}</span>
        )}
      </a>
      <span class="row-actions">
        {PAGES.map(({ page, icon, titleOf }) => (
          <a
            key={page}
            class="button quiet"
            href={addressOf(`/flows/${encodeURIComponent(name)}/${page}`)}
            onFocus={take}
            aria-label={titleOf(name)}
            title={titleOf(name)}
          >
            <Icon name={icon} />
          </a>
        ))}
        <WriteAccessOnly>
          <button
            type="button"
            class="button quiet"
            onClick={giveNumber}
            aria-label={t('Give {name} a number', { name })}
            title={t('Give it a number')}
          >
            <Icon name="numbers" />
          </button>
          <button
            type="button"
            class="button quiet"
            onClick={duplicate}
            aria-label={t('Duplicate {name}', { name })}
            title={t('Duplicate')}
          >
            <Icon name="copy" />
          </button>
          {!flow.built_in && (
            <button
              type="button"
              class="button quiet danger"
              onClick={remove}
              aria-label={t('Delete {name}', { name })}
              title={t('Delete')}
            >
              <Icon name="remove" />
            </button>
          )}
        </WriteAccessOnly>
      </span>
    </li>
  );
}

function Totals({ flows }: { flows: readonly ListedFlowData[] }) {
  const broken = flows.filter(({ errors }) => errors > 0).length;
  return (
    <>
      <span>{t('{count, plural, one {# flow} other {# flows}}', { count: flows.length })}</span>
      {broken > 0 && <span class="bad">{t('{broken} with errors', { broken })}</span>}
    </>
  );
}
