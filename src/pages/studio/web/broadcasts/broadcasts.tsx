/** Screen `/broadcasts`: broadcasts with their progress. */
import './broadcasts.css';
import { numberText, t } from '../../../shared/web/words/translate.ts';
import { project, request } from '../api.ts';
import { Empty } from '../empty-screen/empty.tsx';
import { resultWords } from '../journal/result-words.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { useEvery, useLoaded } from '../shell/load.ts';
import { tell, tellError } from '../shell/messages.tsx';
import { Older } from '../shell/older.tsx';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf, location, navigate, setQuery } from '../shell/router.ts';
import { rowCommands } from '../shell/rows.ts';
import type { ScreenProps } from '../shell/screen.ts';
import { session } from '../shell/session.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { type BroadcastData, type BroadcastNumber, type BroadcastTotals, partsOf, remainingMs } from './progress.ts';

interface Listed extends BroadcastData {
  numbers: number;
}

interface Report extends BroadcastData {
  totals: BroadcastTotals;
  result_set: BroadcastNumber[];
  next?: string;
}

const REFRESH_MS = 2000;
const NEW = '/broadcasts/new';

export function BroadcastList() {
  const { cursor } = location.value.query;
  const { loaded, reload } = useLoaded(
    () => request<{ broadcasts: Listed[]; next?: string }>(`/voice/v1/broadcast${cursor ? `?cursor=${cursor}` : ''}`),
    [project.value, cursor],
  );
  useEvery(REFRESH_MS, reload);
  const isAdmin = typeof session.value === 'object' && session.value.role === 'admin';
  useCommands(
    () => [
      ...rowCommands(t('broadcast'), t('Broadcasts')),
      ...(isAdmin
        ? [{ title: t('New broadcast'), keys: 'n', group: 'Broadcasts', changes: true, run: () => navigate(NEW) }]
        : []),
    ],
    [isAdmin],
  );
  const broadcasts = loaded.value.state === 'there' ? loaded.value.value.broadcasts : [];
  const next = loaded.value.state === 'there' ? loaded.value.value.next : undefined;
  return (
    <Page
      title={t('Broadcasts')}
      actions={
        isAdmin && (
          <WriteAccessOnly>
            <a class="button primary" href={addressOf(NEW)}>
              {t('New broadcast')} <Keys of="n" />
            </a>
          </WriteAccessOnly>
        )
      }
    >
      <Pane label={t('Broadcasts')} class="sheet">
        {loaded.value.state === 'failed' && <p role="alert">{loaded.value.error.message}</p>}
        {loaded.value.state === 'there' && broadcasts.length === 0 && (
          <Empty
            icon="broadcasts"
            text={t('No broadcasts yet. One calls many people with a flow, and is rehearsed first.')}
          >
            {isAdmin && (
              <WriteAccessOnly>
                <a class="button primary" href={addressOf(NEW)}>
                  {t('New broadcast')}
                </a>
              </WriteAccessOnly>
            )}
          </Empty>
        )}
        {broadcasts.length > 0 && (
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{t('name')}</th>
                <th scope="col">{t('state')}</th>
                <th scope="col" class="number">
                  {t('numbers')}
                </th>
                <th scope="col">{t('created')}</th>
                <th scope="col">{t('ended')}</th>
              </tr>
            </thead>
            <tbody>
              {broadcasts.map((each) => (
                <tr key={each.app_instance}>
                  <td>
                    <a href={addressOf(`/broadcasts/${each.app_instance}`)} data-row={each.app_instance}>
                      {each.application_name}
                    </a>
                  </td>
                  <td>
                    <State of={each} />
                  </td>
                  <td class="number">{each.numbers.toLocaleString()}</td>
                  <td>{shownTime(each.created)}</td>
                  <td>{shownTime(each.ended)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <Older path="/broadcasts" next={next} />
      </Pane>
    </Page>
  );
}

export function BroadcastDetail({ params }: ScreenProps) {
  const path = `/voice/v1/broadcast/${encodeURIComponent(params['id']!)}`;
  const { cursor } = location.value.query;
  const { loaded, reload } = useLoaded(
    () => request<Report & Record<string, never>>(`${path}${cursor ? `?cursor=${cursor}` : ''}`),
    [path, project.value, cursor],
  );
  const report = loaded.value.state === 'there' ? loaded.value.value : undefined;
  const isOver = report?.ended !== undefined;
  useEvery(REFRESH_MS, () => void (isOver || reload()));
  const stop = async (): Promise<void> => {
    if (!confirm(t('Stop this broadcast? No more numbers are called; active calls continue.'))) return;
    try {
      await request(path, { method: 'DELETE' });
      tell(t('Broadcast stopped'));
      reload();
    } catch (error) {
      tellError(error);
    }
  };
  useCommands(
    () =>
      isOver ? [] : [{ title: t('Stop this broadcast'), group: 'Broadcast', changes: true, run: () => void stop() }],
    [isOver],
  );
  return (
    <Page
      title={report?.application_name ?? t('Broadcast')}
      out="/broadcasts"
      crumb={
        <>
          <a href={addressOf('/broadcasts')}>{t('Broadcasts')}</a> / {report?.application_name ?? ''}
        </>
      }
      actions={
        report?.state === 'running' && (
          <WriteAccessOnly>
            <button type="button" class="button danger" onClick={stop}>
              {t('Stop')}
            </button>
          </WriteAccessOnly>
        )
      }
    >
      <Pane label={t('Broadcast')} class="sheet">
        {loaded.value.state === 'failed' && <p role="alert">{loaded.value.error.message}</p>}
        {report && <Progress report={report} />}
        {report && <Numbers report={report} />}
      </Pane>
    </Page>
  );
}

function Progress({ report }: { report: Report }) {
  const { totals } = report;
  const done = totals.disconnected;
  const leftMs = remainingMs(report, totals, Date.now());
  return (
    <section aria-label={t('Progress')}>
      <p class="progress-words">
        <State of={report} />{' '}
        {t(
          '{done, number} of {numbers, number} numbers have their result, {attempts, plural, one {# call} other {# calls}} made',
          { done, numbers: totals.numbers, attempts: totals.attempts },
        )}
        {leftMs !== undefined && ` · ${t('about {duration} left', { duration: shownDuration(leftMs) })}`}
      </p>
      {report.error_description !== undefined && <p role="alert">{report.error_description}</p>}
      <div
        class="progress"
        role="progressbar"
        aria-label={t('Numbers that have their result')}
        aria-valuemin={0}
        aria-valuemax={totals.numbers}
        aria-valuenow={done}
      >
        {partsOf(totals).map(({ name, count, share }) => (
          <i key={name} class={name} style={{ width: `${share * 100}%` }} title={`${STATES[name] ?? name}: ${count}`} />
        ))}
      </div>
      <ul class="legend">
        {partsOf(totals).map(({ name, count }) => (
          <li key={name}>
            <i class={name} aria-hidden="true" /> {STATES[name] ?? name} <b>{numberText(count)}</b>
          </li>
        ))}
      </ul>
      {Object.keys(totals.reasons).length > 0 && (
        <p class="reasons">
          {Object.entries(totals.reasons)
            .sort(([, one], [, other]) => other - one)
            .map(([reason, count]) => `${resultWords(reason)}: ${count.toLocaleString()}`)
            .join(' · ')}
        </p>
      )}
    </section>
  );
}

const Numbers = ({ report }: { report: Report }) => (
  <>
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{t('number')}</th>
          <th scope="col">{t('state')}</th>
          <th scope="col">{t('result')}</th>
          <th scope="col" class="number">
            {t('calls')}
          </th>
          <th scope="col">{t('output')}</th>
        </tr>
      </thead>
      <tbody>
        {report.result_set.map((number) => (
          <tr key={number.dialed_number}>
            <td>
              {number.voice_id === undefined ? (
                number.dialed_number
              ) : (
                <a href={addressOf(`/calls/${number.voice_id}`)}>{number.dialed_number}</a>
              )}
            </td>
            <td>{STATES[number.state] ?? number.state}</td>
            <td>{resultWords((number.result ?? number.last_result)?.reason ?? '')}</td>
            <td class="number">{number.attempts}</td>
            <td>{number.output === undefined ? '' : JSON.stringify(number.output)}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {report.next !== undefined && (
      <p>
        <button type="button" class="button" onClick={() => setQuery({ cursor: report.next })}>
          {t('Next numbers')}
        </button>
      </p>
    )}
  </>
);

/** States of a number in words. */
const STATES: Readonly<Record<string, string>> = {
  queued: t('waiting'),
  connected: t('talking'),
  disconnected: t('ended'),
};

/** States of a broadcast in words. */
const STATES_OF_BROADCAST: Readonly<Record<string, string>> = {
  running: t('running'),
  completed: t('completed'),
  failed: t('failed'),
  stopped: t('stopped'),
};

const TONES: Readonly<Record<string, string>> = { running: 'warn', completed: 'good', failed: 'bad' };

const State = ({ of: { state } }: { of: BroadcastData }) => (
  <span class={`pill ${TONES[state] ?? ''}`}>{STATES_OF_BROADCAST[state] ?? state}</span>
);

const shownTime = (iso: string | undefined): string => (iso === undefined ? '' : new Date(iso).toLocaleString());

function shownDuration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 90 ? t('{count} min', { count: minutes }) : t('{count} h', { count: Math.round(minutes / 60) });
}
