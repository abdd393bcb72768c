/** Screen `/calls`: live and ended calls with a text filter. Uses `filter.ts`; opens `call-detail.tsx`. */
import '../call-rows/calls.css';
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { CallActions } from '../call-rows/call-actions.tsx';
import type { CallRow } from '../call-rows/call-row.ts';
import { durationOf, momentOf } from '../call-rows/call-times.ts';
import { VirtualList } from '../call-rows/virtual-list.tsx';
import { Connection } from '../live/connection.tsx';
import { live, onLiveEvent, useLiveCalls } from '../live/live-store.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf, location, navigate, setQuery } from '../shell/router.ts';
import { CallRecords, merged } from './call-records.ts';
import { FILTER_KEYS, readFilter } from './filter.ts';
import { POOR_LINE } from './line-quality.tsx';

const EXAMPLES = ['is:live', 'step:menu for>30s', 'from:+33', 'quality<3.5', '-cause:normal is:ended'];
const ROW_HEIGHT = 44;
/** Delay after the end of a call, until its record is available. */
const REFRESH_MS = 400;
/** Minimum interval between refreshes when calls end frequently. Records can be this late. */
const REFRESH_GAP_MS = 30_000;

export function CallList() {
  useLiveCalls();
  const records = useMemo(() => new CallRecords(), []);
  const text = useSignal(location.peek().query['q'] ?? '');
  const now = useSignal(Date.now());
  const active = useSignal(0);
  const field = useRef<HTMLInputElement>(null);
  const filter = useComputed(() => readFilter(text.value));
  const all = useComputed(() => merged(records.calls.value, live.value));
  const found = useComputed(() => {
    const wanted = filter.value;
    return wanted.terms === 0 ? all.value : all.value.filter((call) => wanted.test(call, now.value));
  });

  useEffect(() => {
    void records.loadMore();
    const clock = setInterval(() => {
      now.value = Date.now();
    }, 1000);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let notBefore = 0;
    // The record of a call is written when it ends.
    const stop = onLiveEvent((event) => {
      if (event !== 'ended' && event !== 'reset') return;
      timer ??= setTimeout(
        () => {
          timer = undefined;
          notBefore = Date.now() + REFRESH_GAP_MS;
          void records.refresh();
        },
        Math.max(REFRESH_MS, notBefore - Date.now()),
      );
    });
    return () => {
      clearInterval(clock);
      clearTimeout(timer);
      stop();
    };
  }, []);
  useCommands(() => [
    { title: 'Filter the calls', keys: '/', group: 'Calls', run: () => field.current?.focus() },
    { title: 'Refresh list', keys: 'r', group: 'Calls', run: () => void records.refresh() },
  ]);

  const ask = (wanted: string): void => {
    text.value = wanted;
    active.value = 0;
    setQuery({ q: wanted || undefined });
  };
  const open = (call: CallRow): void => navigate(`/calls/${encodeURIComponent(call.id)}`);
  const { problems, terms } = filter.value;
  const liveCount = all.value.filter(({ endedMs }) => endedMs === undefined).length;
  const failure = records.failure.value;
  const chosen = found.value[active.value];
  return (
    <Page
      title="Calls"
      crumb={
        <>
          Calls{' '}
          <small>
            {liveCount} live
            {terms > 0 && `, ${found.value.length} ${found.value.length === 1 ? 'match' : 'matches'}`}
          </small>
        </>
      }
      actions={
        chosen !== undefined && (
          <>
            {chosen.endedMs === undefined && <CallActions key={chosen.id} call={chosen} />}
            <a class="button" href={addressOf(`/flows/${encodeURIComponent(chosen.flow)}/live`)}>
              Live calls of {chosen.flow}
            </a>
          </>
        )
      }
      status={
        <>
          <Connection />
          <span>
            {all.value.length} {all.value.length === 1 ? 'call' : 'calls'}
          </span>
          {records.isBusy.value && <span>reading more…</span>}
        </>
      }
    >
      <Pane label="Calls" class="calls-pane">
        <div class="calls-filter">
          <input
            ref={field}
            type="search"
            aria-label="Filter"
            aria-describedby="calls-filter-help"
            aria-invalid={problems.length > 0}
            placeholder={`Filter: ${EXAMPLES[1]} …`}
            spellcheck={false}
            value={text.value}
            onInput={(event) => ask(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
              event.preventDefault();
              document.querySelector<HTMLElement>('.calls-pane .virtual-list')?.focus();
            }}
          />
          <Keys of="/" />
          <div id="calls-filter-help" class="filter-help">
            {problems.length > 0 ? (
              <p role="alert">{problems.map(({ message }) => message).join('; ')}</p>
            ) : (
              EXAMPLES.map((example) => (
                <button
                  type="button"
                  key={example}
                  class="button quiet"
                  onClick={() => ask(example)}
                  title={`Keys: ${FILTER_KEYS.join(', ')}`}
                >
                  {example}
                </button>
              ))
            )}
          </div>
        </div>
        <div class="call-columns" aria-hidden="true">
          <span>state</span>
          <span>from → to</span>
          <span>flow</span>
          <span>last step or result</span>
          <span>quality</span>
          <span>started</span>
          <span>duration</span>
        </div>
        {failure !== undefined && <p class="empty">{failure instanceof Error ? failure.message : 'No answer.'}</p>}
        {found.value.length === 0 && failure === undefined && (
          <p class="empty">
            {records.isBusy.value
              ? 'Reading…'
              : terms > 0
                ? 'No calls match the filter.'
                : 'No calls yet. Call a number.'}
          </p>
        )}
        <VirtualList
          items={found.value}
          keyOf={({ id }) => id}
          rowHeight={ROW_HEIGHT}
          label="Calls"
          one="call"
          takesFocus
          active={active}
          onActivate={(index) => {
            active.value = index;
          }}
          onOpen={open}
          onEnd={() => void records.loadMore()}
        >
          {(call) => <CallRowView call={call} nowMs={call.endedMs ?? now.value} />}
        </VirtualList>
      </Pane>
    </Page>
  );
}

function CallRowView({ call, nowMs }: { call: CallRow; nowMs: number }) {
  const { direction, from, to, flow, step, state, startedMs, endedMs, cause, mos } = call;
  const isLive = endedMs === undefined;
  return (
    <>
      <span class={`call-state ${isLive ? 'live' : ''} ${state === 'failed' ? 'bad' : ''}`}>
        <i aria-hidden="true">{direction === 'in' ? '↘' : '↗'}</i>
        {isLive ? state : state === 'failed' ? 'failed' : 'ended'}
      </span>
      <span class="call-parties">
        <b>{from}</b> → {to}
      </span>
      <span class="call-flow">{flow}</span>
      <span class="call-step">{isLive ? (step ?? '') : (cause ?? '')}</span>
      <span class={`call-line ${mos !== undefined && mos < POOR_LINE ? 'bad' : ''}`}>
        {mos !== undefined && `${mos.toFixed(1)}${mos < POOR_LINE ? ' poor' : ''}`}
      </span>
      <time class="call-began">{momentOf(startedMs)}</time>
      <span class="call-length">{durationOf(nowMs - startedMs)}</span>
    </>
  );
}
