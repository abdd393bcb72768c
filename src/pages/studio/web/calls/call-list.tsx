/** Screen `/calls`: live and ended calls with a text filter. Uses `filter.ts`; opens `call-detail.tsx`. */
import '../call-rows/calls.css';
import { batch, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { CallActions } from '../call-rows/call-actions.tsx';
import type { CallRow } from '../call-rows/call-row.ts';
import { durationOf, momentOf } from '../call-rows/call-times.ts';
import { VirtualList } from '../call-rows/virtual-list.tsx';
import { Empty } from '../empty-screen/empty.tsx';
import { listFlows } from '../flow-api.ts';
import { resultWords } from '../journal/result-words.ts';
import { CallOutDialog } from '../live/call-out.tsx';
import { Connection } from '../live/connection.tsx';
import { live, onLiveEvent, useLiveCalls } from '../live/live-store.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { tellError } from '../shell/messages.tsx';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf, location, navigate, setQuery } from '../shell/router.ts';
import { saveFile } from '../shell/save-file.ts';
import { session } from '../shell/session.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { CallRecords, type CallWindow, merged } from './call-records.ts';
import { csvOf } from './calls-csv.ts';
import { dayOf, FILTER_KEYS, readFilter, termsIn } from './filter.ts';
import { termValue } from './filter-terms.ts';
import { POOR_LINE } from './line-quality.tsx';
import { PlainFilters } from './plain-filters.tsx';
import { SilenceScan } from './silence-scan.ts';

const EXAMPLES = ['step:menu for>30s', 'from:+33', 'quality<3.5', '-cause:normal is:ended'];
/** Maximum number of calls in an exported table. */
const MAX_EXPORTED = 10_000;
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
  const silence = useMemo(() => new SilenceScan(), []);
  const all = useComputed(() => {
    const calls = merged(records.calls.value, live.value);
    const known = silence.known.value;
    if (known.size === 0) return calls;
    return calls.map((call) => (known.has(call.id) ? { ...call, silenceMs: known.get(call.id)! } : call));
  });
  const flowNames = useComputed(() => [...new Set(all.value.map(({ flow }) => flow))].filter(Boolean).sort());
  const found = useComputed(() => {
    const wanted = filter.value;
    return wanted.terms === 0 ? all.value : all.value.filter((call) => wanted.test(call, now.value));
  });

  useSignalEffect(() => {
    if (!termsIn(text.value).some(isAboutSilence)) return;
    // The journals of calls that the other terms find.
    const others = readFilter(
      termsIn(text.value)
        .filter((term) => !isAboutSilence(term))
        .join(' '),
    );
    void silence.look(all.value.filter((call) => others.test(call, Date.now())));
  });
  useEffect(() => {
    void records.look(windowOf(text.peek()));
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
  const isAdmin = typeof session.value === 'object' && session.value.role === 'admin';
  const flowsToCall = useSignal<readonly string[] | undefined>(undefined);
  const callOut = (): void =>
    void listFlows().then((flows) => {
      flowsToCall.value = flows.filter(({ built_in: isBuiltIn }) => !isBuiltIn).map(({ name }) => name);
    }, tellError);
  useCommands(() => [
    ...(isAdmin ? [{ title: t('Call a phone'), keys: 'd', group: 'Calls', changes: true, run: callOut }] : []),
    { title: t('Filter the calls'), keys: '/', group: 'Calls', run: () => field.current?.focus() },
    { title: t('Refresh list'), keys: 'r', group: 'Calls', run: () => void records.refresh() },
  ]);

  const ask = (wanted: string): void => {
    batch(() => {
      text.value = wanted;
      active.value = 0;
      setQuery({ q: wanted || undefined });
    });
    void records.look(windowOf(wanted));
  };
  const exportTable = async (): Promise<void> => {
    await records.loadAll(MAX_EXPORTED);
    saveFile(`calls-${dayOf(Date.now())}.csv`, csvOf(found.value), 'text/csv');
  };
  useSignalEffect(() => {
    // A link to the list without a filter, followed while the list is shown, ends the filter.
    const asked = location.value.query['q'] ?? '';
    if (location.value.path === '/calls' && asked !== text.peek()) ask(asked);
  });
  const open = (call: CallRow): void => navigate(`/calls/${encodeURIComponent(call.id)}`);
  const { problems, terms } = filter.value;
  const liveCount = all.value.filter(({ endedMs }) => endedMs === undefined).length;
  const failure = records.failure.value;
  const chosen = found.value[active.value];
  return (
    <Page
      title={t('Calls')}
      crumb={
        <>
          {t('Calls')}{' '}
          <small>
            {terms > 0
              ? t('{live} live, {count, plural, one {# match} other {# matches}}', {
                  live: liveCount,
                  count: found.value.length,
                })
              : t('{live} live', { live: liveCount })}
          </small>
        </>
      }
      actions={
        <>
          {isAdmin && (
            <WriteAccessOnly>
              <button type="button" class="button" onClick={callOut}>
                {t('Call a phone')} <Keys of="d" />
              </button>
            </WriteAccessOnly>
          )}
          <button type="button" class="button" disabled={found.value.length === 0} onClick={() => void exportTable()}>
            {t('Export CSV')}
          </button>
          {chosen !== undefined && (
            <>
              {chosen.endedMs === undefined && <CallActions key={chosen.id} call={chosen} />}
              <a class="button" href={addressOf(`/flows/${encodeURIComponent(chosen.flow)}/live`)}>
                {t('Live calls of {flow}', { flow: chosen.flow })}
              </a>
            </>
          )}
        </>
      }
      status={
        <>
          <Connection />
          <span>{t('{count, plural, one {# call} other {# calls}}', { count: all.value.length })}</span>
          {records.isBusy.value && <span>{t('reading more…')}</span>}
          {silence.isBusy.value && <span>{t('looking for silence…')}</span>}
        </>
      }
    >
      <Pane label={t('Calls')} class="calls-pane">
        <div class="calls-filter">
          <PlainFilters text={text.value} flows={flowNames.value} ask={ask} />
          <input
            ref={field}
            type="search"
            aria-label={t('Filter')}
            aria-describedby="calls-filter-help"
            aria-invalid={problems.length > 0}
            placeholder={t('Filter: {example} …', { example: EXAMPLES[1]! })}
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
                  title={t('Keys: {keys}', { keys: FILTER_KEYS.join(', ') })}
                >
                  {example}
                </button>
              ))
            )}
          </div>
        </div>
        <div class="call-columns" aria-hidden="true">
          <span>{t('state')}</span>
          <span>{t('from → to')}</span>
          <span>{t('flow')}</span>
          <span>{t('last step or result')}</span>
          <span>{t('quality')}</span>
          <span>{t('started')}</span>
          <span>{t('duration')}</span>
        </div>
        {failure !== undefined && <p class="empty">{failure instanceof Error ? failure.message : t('No answer.')}</p>}
        {found.value.length === 0 && failure === undefined && (
          <NoCalls isBusy={records.isBusy.value} isFiltered={terms > 0} showAll={() => ask('')} />
        )}
        <VirtualList
          items={found.value}
          keyOf={({ id }) => id}
          rowHeight={ROW_HEIGHT}
          label={t('Calls')}
          one={t('call')}
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
      {flowsToCall.value && <CallOutDialog flows={flowsToCall.value} close={() => (flowsToCall.value = undefined)} />}
    </Page>
  );
}

const isAboutSilence = (term: string): boolean => /^-?silence[<>]/.test(term);

/** Days of a filter, as the service asks for them. */
function windowOf(text: string): CallWindow {
  const day = termValue(text, 'day');
  const fromMs = Date.parse(`${day || termValue(text, 'day', '>=')}T00:00:00`);
  const toMs = Date.parse(`${day || termValue(text, 'day', '<=')}T23:59:59.999`);
  return { ...(!Number.isNaN(fromMs) && { fromMs }), ...(!Number.isNaN(toMs) && { toMs }) };
}

interface NoCallsProps {
  isBusy: boolean;
  isFiltered: boolean;
  showAll(): void;
}

function NoCalls({ isBusy, isFiltered, showAll }: NoCallsProps) {
  if (isBusy) return <p class="empty">{t('Reading…')}</p>;
  if (isFiltered) {
    return (
      <Empty icon="search" text={t('No calls match the filter.')}>
        <button type="button" class="button" onClick={showAll}>
          {t('Show all calls')}
        </button>
      </Empty>
    );
  }
  const isAdmin = typeof session.value === 'object' && session.value.role === 'admin';
  return (
    <Empty
      icon="calls"
      text={t('No calls yet. Each call appears here while it rings, and stays with all that was said.')}
    >
      {isAdmin && (
        <a class="button primary" href={addressOf('/flows')}>
          {t('Choose a flow to call')}
        </a>
      )}
    </Empty>
  );
}

function CallRowView({ call, nowMs }: { call: CallRow; nowMs: number }) {
  const { direction, from, to, flow, step, state, startedMs, endedMs, cause, mos } = call;
  const isLive = endedMs === undefined;
  return (
    <>
      <span class={`call-state ${isLive ? 'live' : ''} ${state === 'failed' ? 'bad' : ''}`}>
        <i aria-hidden="true">{direction === 'in' ? '↘' : '↗'}</i>
        {isLive ? state : state === 'failed' ? t('failed') : t('ended')}
      </span>
      <span class="call-parties">
        <bdi dir="ltr">
          <b>{from}</b> → {to}
        </bdi>
      </span>
      <span class="call-flow">{flow}</span>
      <span class="call-step">{isLive ? (step ?? '') : resultWords(cause ?? '')}</span>
      <span class={`call-line ${mos !== undefined && mos < POOR_LINE ? 'bad' : ''}`}>
        {mos !== undefined && `${mos.toFixed(1)}${mos < POOR_LINE ? ` ${t('poor')}` : ''}`}
      </span>
      <time class="call-began">{momentOf(startedMs)}</time>
      <span class="call-length">{durationOf(nowMs - startedMs)}</span>
    </>
  );
}
