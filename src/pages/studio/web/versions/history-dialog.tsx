/** Dialog with the versions in which a step changed. Loaded when it is first opened; versions are read as needed. */
import './history.css';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { Dialog } from '../shell/dialog.tsx';
import { compareTexts, type DiffLine } from '../text/compare-texts.ts';
import { byTime } from './pair.ts';
import { type StepChange, type StepState, stateOf, stepHistory } from './step-history.ts';
import { listVersions, timeOf, type Version } from './version-api.ts';

/** Changes that are read at a time. */
const PAGE = 5;

interface HistoryDialogProps {
  flow: string;
  step: string;
  /** Present text of the flow. */
  text: string;
  close(): void;
  /** Writes the earlier state of the step. Absent if the flow is locked. */
  takeBack: ((version: Version, before: StepState) => void) | undefined;
}

export function HistoryDialog({ flow, step, text, close, takeBack }: HistoryDialogProps) {
  const changes = useSignal<readonly StepChange[]>([]);
  const state = useSignal<'reading' | 'more' | 'all' | { failed: string }>('reading');
  const source = useRef<AsyncGenerator<StepChange> | undefined>(undefined);
  const read = async (): Promise<void> => {
    state.value = 'reading';
    try {
      const versions = byTime(await listVersions(flow));
      source.current ??= stepHistory({ flow, versions, step, text });
      for (let count = 0; count < PAGE; count++) {
        const next = await source.current.next();
        if (next.done) {
          state.value = 'all';
          return;
        }
        changes.value = [...changes.peek(), next.value];
      }
      state.value = 'more';
    } catch (error) {
      source.current = undefined;
      changes.value = [];
      state.value = { failed: (error as Error).message };
    }
  };
  useEffect(() => {
    void read();
    return () => void source.current?.return(undefined);
  }, []);
  const now = stateOf(text, step);
  return (
    <Dialog title={t('History of {step}', { step })} close={close} class="step-history">
      <ol>
        {changes.value.map((change) => (
          <li key={change.version.hash}>
            <ChangeHead change={change} />
            <ChangedLines before={change.before} now={change.now} />
            {takeBack !== undefined && change.before !== undefined && change.before.text !== now?.text && (
              <button
                type="button"
                class="button"
                aria-label={t('Take this back: version {number}', { number: change.version.version_number })}
                onClick={() => {
                  takeBack(change.version, change.before!);
                  close();
                }}
              >
                {t('Take this back')}
              </button>
            )}
          </li>
        ))}
      </ol>
      <p role="status">{statusWords(state.value, changes.value.length)}</p>
      {state.value === 'more' && (
        <button type="button" class="button" onClick={() => void read()}>
          {t('Show older changes')}
        </button>
      )}
    </Dialog>
  );
}

function statusWords(state: 'reading' | 'more' | 'all' | { failed: string }, count: number): string {
  if (typeof state === 'object') return state.failed;
  if (state === 'reading') return t('Reading the versions …');
  return state === 'all' && count === 0 ? t('No version has this step yet') : '';
}

function ChangeHead({ change: { version, now, before, isOldest } }: { change: StepChange }) {
  const what = isOldest
    ? t('oldest version that is kept')
    : before === undefined
      ? t('added')
      : now === undefined
        ? t('removed ## step')
        : before.name === now.name
          ? undefined
          : t('renamed from {name}', { name: before.name });
  return (
    <p class="step-change">
      <b>{t('Version {number}', { number: version.version_number })}</b> {timeOf(version.first_seen)}
      <small>
        {version.author ?? t('found at startup')}
        {what !== undefined && ` · ${what}`}
      </small>
    </p>
  );
}

/** The changed lines: old words are struck through. */
function ChangedLines({ before, now }: Record<'before' | 'now', StepState | undefined>) {
  const rows = compareTexts(before?.text ?? '', now?.text ?? '').filter(
    ({ before: old, now: fresh }) => old?.changed !== undefined || fresh?.changed !== undefined || !old || !fresh,
  );
  if (rows.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <pre tabIndex={0}>
      {rows.map(({ before: old, now: fresh }, index) => (
        <span key={index}>
          {before !== undefined && old !== undefined && old.text !== '' && <Line line={old} as="del" />}
          {now !== undefined && fresh !== undefined && fresh.text !== '' && <Line line={fresh} as="ins" />}
        </span>
      ))}
    </pre>
  );
}

function Line({ line: { text, changed = [0, text.length] }, as: Mark }: { line: DiffLine; as: 'del' | 'ins' }) {
  const [from, to] = changed;
  return (
    <span class={`history-line ${Mark}`}>
      {text.slice(0, from)}
      {to > from && <Mark>{text.slice(from, to)}</Mark>}
      {text.slice(to)}
    </span>
  );
}
