/** Publishing a version: checklist and button. Uses `publish-checks.ts`. */
import './canary.css';
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { listText, t, tNodes } from '../../../shared/web/words/translate.ts';
import { tell, tellError } from '../shell/messages.tsx';
import { addressOf, setQuery } from '../shell/router.ts';
import { isReader } from '../shell/session.ts';
import type { TestReportData } from '../tests/test-run.ts';
import { takeNewTimes } from '../tests/test-times.ts';
import { publishVersion } from './canary-api.ts';
import { type Condition, conditionsOf, useFindings } from './publish-checks.ts';
import { type Replay, ReplayedCalls } from './replayed-calls.tsx';
import { shortHash, timeOf, type Version } from './version-api.ts';

interface PublishViewProps {
  flow: string;
  /** Etag of the file as last loaded. Absent for built-in flows. */
  etag: string | undefined;
  numbers: readonly string[];
  version: Version | undefined;
  inForce: Version | undefined;
  text: string | undefined;
  replay: Replay;
  /** Reloads the page's data after it has become outdated. */
  reload(): Promise<void>;
}

export function PublishView(props: PublishViewProps) {
  const { version, etag } = props;
  if (version === undefined || version.in_force || etag === undefined) {
    return (
      <p class="empty">
        {etag === undefined
          ? t('This flow comes with the program: it cannot be changed.')
          : t('Choose in the list, under “to”, a version that is not in force.')}
      </p>
    );
  }
  if (isReader()) return <p class="empty">{t('The token that has signed in may read, and change nothing.')}</p>;
  return <Publish key={version.hash} {...props} version={version} etag={etag} />;
}

function Publish({
  flow,
  etag,
  numbers,
  version,
  inForce,
  text,
  replay,
  reload,
}: PublishViewProps & { version: Version; etag: string }) {
  const hasLooked = useSignal(false);
  const isForced = useSignal(false);
  const isBusy = useSignal(false);
  const round = useSignal(0);
  const conditions = conditionsOf(
    { ...useFindings(flow, text, round.value), replayed: replay.results },
    hasLooked.value,
  );
  const takeTimes = async (reports: readonly TestReportData[]): Promise<void> => {
    isBusy.value = true;
    try {
      await takeNewTimes(flow, reports);
      tell(t('New times taken over in {count, plural, one {# test} other {# tests}}', { count: reports.length }));
    } catch (error) {
      tellError(error);
    } finally {
      isBusy.value = false;
      round.value += 1;
    }
  };
  useEffect(() => {
    if (text !== undefined && replay.results === undefined) replay.start();
  }, [text]);
  const [errors, ...others] = conditions;
  // The first condition cannot be overridden: the service rejects a text with errors.
  const isReady = errors!.state === 'met' && (isForced.value || others.every(({ state }) => state === 'met'));
  const goOtherWays = replay.results?.some(({ same }) => !same) === true;
  const publish = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    try {
      await publishVersion(flow, version.hash, etag);
      tell(t('{version} is published: new calls take it', { version: shortHash(version.hash) }));
      setQuery({ view: undefined, before: inForce?.hash, after: version.hash });
    } catch (error) {
      tellError(error);
    } finally {
      isBusy.value = false;
      await reload();
    }
  };
  return (
    <form class="publish-view" aria-label={t('Publish')} onSubmit={(event) => void publish(event)}>
      <h2>{tNodes('Publish {version}', { version: <code>{shortHash(version.hash)}</code> })}</h2>
      <p>
        {inForce === undefined
          ? t('The version of {time} becomes the text of {flow}.', { time: timeOf(version.first_seen), flow })
          : tNodes('The version of {time} becomes the text of {flow} in place of {version}.', {
              time: timeOf(version.first_seen),
              flow,
              version: <code>{shortHash(inForce.hash)}</code>,
            })}{' '}
        {numbers.length === 0
          ? t('New calls take it at once; active calls keep theirs.')
          : t('New calls to {numbers} take it at once; active calls keep theirs.', { numbers: listText(numbers) })}
      </p>
      <ul class="conditions" aria-label={t('Conditions')}>
        {conditions.map((condition) => (
          <Row key={condition.title} condition={condition}>
            {condition.onlyTimes !== undefined && (
              <p class="new-times">
                {t('Only the durations of calls differ, as after a change of words.')}{' '}
                <button
                  type="button"
                  class="button"
                  disabled={isBusy.value}
                  onClick={() => void takeTimes(condition.onlyTimes!)}
                >
                  {t('Take over the new times')}
                </button>
              </p>
            )}
          </Row>
        ))}
      </ul>
      {goOtherWays && <Choice is={hasLooked}>{t('I have checked the calls that take another route')}</Choice>}
      <ReplayedCalls replay={replay} />
      <Choice is={isForced}>{t('Publish without tests and replay')}</Choice>
      <div class="form-end">
        <button type="submit" class="button primary" disabled={!isReady || isBusy.value}>
          {t('Publish')}
        </button>
        <a class="button" href={addressOf(`/flows/${encodeURIComponent(flow)}/tests`)}>
          {t('Tests')}
        </a>
      </div>
    </form>
  );
}

const Choice = ({ is, children }: { is: Signal<boolean>; children: string }) => (
  <label class="choice">
    <input
      type="checkbox"
      checked={is.value}
      onChange={(event) => {
        is.value = event.currentTarget.checked;
      }}
    />
    {children}
  </label>
);

const STATES: Readonly<Record<Condition['state'], string>> = {
  met: t('met'),
  'not met': t('not met'),
  waits: t('waits'),
};
const SIGNS: Readonly<Record<Condition['state'], string>> = { met: '✓', 'not met': '✕', waits: '○' };

interface RowProps {
  condition: Condition;
  children: ComponentChildren;
}

const Row = ({ condition: { title, state, words, lines }, children }: RowProps) => (
  <li class={state === 'met' ? 'good' : state === 'waits' ? '' : 'bad'}>
    <i aria-hidden="true">{SIGNS[state]}</i>
    <b>{title}</b>
    <span>
      <span class="unseen">{STATES[state]}. </span>
      {words}
    </span>
    {lines.length > 0 && (
      <ul>
        {lines.slice(0, 5).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    )}
    {children}
  </li>
);
