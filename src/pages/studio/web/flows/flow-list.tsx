/** Screen `/flows`: all flows with their numbers and diagnostics. */
import './flow-list.css';
import { signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Empty } from '../empty-screen/empty.tsx';
import { deleteFlow, type ListedFlowData, listFlows, readFlow, writeFlow } from '../flow-api.ts';
import { Icon } from '../icons.tsx';
import type { PlaceInFlow } from '../people/people-api.ts';
import { PeopleAt } from '../people/people-here.tsx';
import { followPeople, ownName } from '../people/people-store.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { tell, tellError } from '../shell/messages.tsx';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf, location, navigate, setQuery } from '../shell/router.ts';
import { focusIfNowhere } from '../shell/rows.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { type Asked, FlowQuestion } from './flow-question.tsx';
import { forgetText, keptTexts } from './kept-texts.ts';
import { NewFlow, renamedFlow } from './new-flow.tsx';
import { NumberDialog } from './number-dialog.tsx';
import { phoneAddress } from './phone-address.ts';
import { SmallDrawing } from './small-drawing.tsx';

export function FlowList() {
  const flows = useSignal<readonly ListedFlowData[] | undefined>(undefined);
  /** Names of flows with unsaved text in this browser. */
  const unsaved = useSignal<ReadonlySet<string>>(new Set());
  const asked = useSignal<Asked | undefined>(undefined);
  const isMaking = useSignal(location.peek().query['new'] !== undefined);
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
      title: `Duplicate ${flow.name}`,
      label: 'Name of the copy',
      value: `${flow.name}-copy`,
      action: 'Duplicate',
      refuse: (name) =>
        flows.value?.some((each) => each.name === name) ? `There is a flow ${name} already` : undefined,
      take: (name) => {
        const make = async (): Promise<void> => {
          const { text } = await readFlow(flow.name);
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
      title: `Delete ${name}?`,
      items: [
        {
          label: `Delete ${name}`,
          detail: 'its file is gone',
          run: () => {
            const finish = async (): Promise<void> => {
              await deleteFlow(name, etag);
              await forgetText(name);
              tell(`${name} is deleted`);
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
      { title: 'New flow', keys: 'n', group: 'Flows', changes: true, run: () => (isMaking.value = true) },
      { title: 'Filter', keys: '/', group: 'Flows', run: () => filter.current?.focus() },
      { title: 'Duplicate the flow', keys: 'd', group: 'Flows', changes: true, run: () => duplicate(current()) },
      { title: 'Delete the flow', keys: 'x', group: 'Flows', changes: true, run: () => remove(current()) },
      ...PAGES.map(({ page, title, keys }) => ({
        title: `${title} the flow`,
        keys,
        group: 'Flows',
        run: () => {
          const flow = current();
          if (flow) navigate(`/flows/${encodeURIComponent(flow.name)}/${page}`);
        },
      })),
      { title: 'Next flow', keys: 'ArrowDown', group: 'Flows', run: () => move(1) },
      { title: 'Previous flow', keys: 'ArrowUp', group: 'Flows', run: () => move(-1) },
    ],
    [],
  );

  return (
    <Page
      title="Flows"
      actions={
        <>
          <input
            ref={filter}
            type="search"
            class="filter"
            aria-label="Filter by name or number"
            placeholder="Filter  /"
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
              New flow <Keys of="n" />
            </button>
          </WriteAccessOnly>
        </>
      }
      status={flows.value && <Totals flows={flows.value} />}
    >
      <Pane label="Flows">
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
      {isMaking.value && (
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
      <Empty icon="search" text="No flow has this name or number.">
        <button type="button" class="button" onClick={() => setQuery({ find: undefined })}>
          Show all flows
        </button>
      </Empty>
    );
  }
  return (
    <Empty icon="flows" text="No flows yet. A flow is what callers hear, and where their keys and words lead.">
      <WriteAccessOnly>
        <button type="button" class="button primary" onClick={make}>
          New flow
        </button>
      </WriteAccessOnly>
    </Empty>
  );
}

/** Other pages of a flow, with their keys. */
const PAGES = [
  { page: 'simulate', icon: 'phone', title: 'Simulate a call of', keys: 's' },
  { page: 'tests', icon: 'tests', title: 'Tests of', keys: 't' },
  { page: 'versions', icon: 'versions', title: 'Versions of', keys: 'v' },
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
  earlier: ' · calls take an earlier version',
  other: ' · calls take the flow of another file',
  nothing: ' · calls cannot take it',
};

function Row({ flow, isCurrent, isUnsaved, take, giveNumber, duplicate, remove }: RowProps) {
  const { name, numbers, errors, warnings, steps, tests, first, live_calls: live = 0, canary, comments = 0 } = flow;
  return (
    <li class={errors > 0 ? 'has-errors' : ''} aria-current={isCurrent}>
      <a href={addressOf(`/flows/${name}`)} onFocus={take}>
        <SmallDrawing flow={name} hash={flow.hash} />
        <span class="words">
          <strong>
            {name} <PeopleAt flow={name} />
          </strong>
          <small>
            {steps} {steps === 1 ? 'step' : 'steps'}
            {flow.built_in ? ' · built in' : ''}
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
          {isUnsaved && <span class="unsaved">your draft</span>}
          {comments > 0 && <span>{comments === 1 ? '1 comment' : `${comments} comments`}</span>}
          {canary?.state === 'on' && <span class="canary">canary {canary.percent} %</span>}
          {live > 0 && <span class="live">{live === 1 ? '1 call' : `${live} calls`}</span>}
          {tests > 0 && <span>{tests === 1 ? '1 test' : `${tests} tests`}</span>}
          {errors > 0 && <span class="bad">✕ {errors === 1 ? '1 error' : `${errors} errors`}</span>}
          {warnings > 0 && <span class="warn">! {warnings === 1 ? '1 warning' : `${warnings} warnings`}</span>}
          {errors + warnings === 0 && <span class="good">✓ no errors</span>}
        </span>
        {first !== undefined && (
          <span class="first">
            line {first.line}: {first.message}
          </span>
        )}
      </a>
      <span class="row-actions">
        {PAGES.map(({ page, icon, title }) => (
          <a
            key={page}
            class="button quiet"
            href={addressOf(`/flows/${encodeURIComponent(name)}/${page}`)}
            onFocus={take}
            aria-label={`${title} ${name}`}
            title={title}
          >
            <Icon name={icon} />
          </a>
        ))}
        <WriteAccessOnly>
          <button
            type="button"
            class="button quiet"
            onClick={giveNumber}
            aria-label={`Give ${name} a number`}
            title="Give it a number"
          >
            <Icon name="numbers" />
          </button>
          <button
            type="button"
            class="button quiet"
            onClick={duplicate}
            aria-label={`Duplicate ${name}`}
            title="Duplicate"
          >
            <Icon name="copy" />
          </button>
          {!flow.built_in && (
            <button
              type="button"
              class="button quiet danger"
              onClick={remove}
              aria-label={`Delete ${name}`}
              title="Delete"
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
      <span>
        {flows.length} {flows.length === 1 ? 'flow' : 'flows'}
      </span>
      {broken > 0 && <span class="bad">{broken} with errors</span>}
    </>
  );
}
