/**
 * Screen for the versions of a flow: comparison of two versions as a drawing or as texts, replay of the latest calls on
 * the newer one, canary, and publishing. The URL contains both versions. Uses `version-table.tsx`, `version-diff.ts`,
 * `canary-view.tsx` and `publish-view.tsx`.
 */
import './versions.css';
import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { GraphLanguage } from '../../../../language/flow/graph.ts';
import { inSentence, t, tNodes } from '../../../shared/web/words/translate.ts';
import { FlowCanvas } from '../graph/canvas.tsx';
import type { DiffMark, Overlays } from '../graph/overlays.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { useLoaded } from '../shell/load.ts';
import { announce } from '../shell/messages.tsx';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf, location, setQuery } from '../shell/router.ts';
import type { ScreenProps } from '../shell/screen.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { BothTexts } from '../text/both-texts.tsx';
import { loadLanguage } from '../text/load-language.ts';
import type { CanaryData } from './canary-api.ts';
import { comparedMarks } from './canary-figures.ts';
import { BACK_KEY, CanaryView } from './canary-view.tsx';
import { type Pair, pairOf } from './pair.ts';
import { PublishView } from './publish-view.tsx';
import { ReplayedCalls, useReplay } from './replayed-calls.tsx';
import { useCanary } from './use-canary.ts';
import { listVersions, readVersion, shortHash, timeOf, type Version } from './version-api.ts';
import { diffTexts, type TextDiff } from './version-diff.ts';
import { VersionTable } from './version-table.tsx';

interface Loaded {
  beforeText: string;
  afterText: string;
  verbs: GraphLanguage;
}

/** `undefined` in the URL means the drawing. */
const VIEWS = [
  { view: undefined, title: t('Drawing'), keys: 'd' },
  { view: 'text', title: t('Text'), keys: 't' },
  { view: 'canary', title: t('Canary'), keys: 'c' },
  { view: 'publish', title: t('Publish'), keys: 'Shift+P' },
] as const;

export function Versions({ params }: ScreenProps) {
  const name = params['name']!;
  const { loaded, reload } = useLoaded((signal) => listVersions(name, signal), [name]);
  const versions = loaded.value.state === 'there' ? loaded.value.value : [];
  const onScreen = useCanary(name);
  const { canary, flow } = onScreen;
  const { before, after, view } = location.value.query;
  // Waits until the canary is known, so that the drawing does not change after it was shown.
  const pair = onScreen.isKnown ? pairOf(versions, { before, after }, canary) : undefined;
  const texts = useLoaded(async (): Promise<Loaded | undefined> => {
    if (pair === undefined) return undefined;
    const [beforeText, afterText, { verbs }] = await Promise.all([
      readVersion(name, pair.before.hash),
      readVersion(name, pair.after.hash),
      loadLanguage(),
    ]);
    return { beforeText, afterText, verbs };
  }, [name, pair?.before.hash, pair?.after.hash]).loaded.value;
  const shown = texts.state === 'there' ? texts.value : undefined;
  const diff = useMemo(() => shown && diffTexts(shown.beforeText, shown.afterText, shown.verbs), [shown]);
  const overlays = useMemo(() => diff && marksOf(diff, pair, canary), [diff, canary]);
  const selected = useSignal<string | undefined>(undefined);
  const replay = useReplay(name, pair?.after.hash, shown?.afterText);
  const show = (next: string | undefined): void => setQuery({ view: next });
  const goTo = (by: 1 | -1): void => {
    const next = diff && changeFrom(diff, selected.value, by);
    if (next === undefined) return;
    selected.value = next.name;
    announce(`${next.name} ${CHANGE_WORDS[next.change]}`);
  };
  useCommands(
    () => [
      ...VIEWS.map(({ view: each, title, keys }) => ({
        title:
          view === each && each === 'text' ? t('Show the drawing') : t('Show: {title}', { title: inSentence(title) }),
        keys,
        group: t('Versions'),
        run: () => show(view === each ? undefined : each),
      })),
      { title: t('Next change'), keys: 'n', group: t('Versions'), run: () => goTo(1) },
      { title: t('Change before'), keys: 'p', group: t('Versions'), run: () => goTo(-1) },
      { title: t('Replay the latest calls on the newer version'), keys: 'y', group: t('Versions'), run: replay.start },
    ],
    [view, diff, shown],
  );
  useCommands(
    () =>
      onScreen.isOn
        ? [
            {
              title: t('Back: end the canary, new calls take the live version'),
              keys: BACK_KEY,
              group: t('Versions'),
              changes: true,
              run: () => void onScreen.back(),
            },
          ]
        : [],
    [onScreen.isOn],
  );
  const failed = [loaded.value, texts].find((each) => each.state === 'failed');
  return (
    <Page
      title={t('Versions of {name}', { name })}
      out={`/flows/${encodeURIComponent(name)}`}
      crumb={tNodes('<a>Flows</a> / {name} / versions', {
        a: (part) => <a href={addressOf('/flows')}>{part}</a>,
        name: <a href={addressOf(`/flows/${encodeURIComponent(name)}`)}>{name}</a>,
      })}
      actions={
        onScreen.isOn && (
          <WriteAccessOnly>
            <button type="button" class="button danger" disabled={onScreen.isBusy} onClick={() => void onScreen.back()}>
              <span>
                {tNodes('Back <span>to the version in force</span>', {
                  span: (part) => <span class="wide-only">{part}</span>,
                })}
              </span>
              <Keys of={BACK_KEY} />
            </button>
          </WriteAccessOnly>
        )
      }
      status={<span>{diff?.words ?? ''}</span>}
    >
      <div class="versions" data-view={view ?? 'drawing'}>
        <Pane label={t('Versions')} class="version-list">
          {failed?.state === 'failed' && <p role="alert">{failed.error.message}</p>}
          {loaded.value.state === 'there' && <VersionTable versions={versions} pair={pair} canary={canary} />}
          <div class="version-changes-part">
            {diff !== undefined && <Changes diff={diff} selected={selected} />}
            {view !== 'publish' && (
              <>
                <button
                  type="button"
                  class="button version-replay"
                  disabled={shown === undefined || replay.isRunning}
                  onClick={replay.start}
                >
                  {replay.isRunning ? t('Replaying …') : t('Replay 200 calls on the newer one')}
                </button>
                <ReplayedCalls replay={replay} />
              </>
            )}
          </div>
        </Pane>
        <Pane label={t('What is shown of them')} class="version-view">
          <div class="version-tabs">
            {VIEWS.map(({ view: each, title }) => (
              <button key={title} type="button" aria-pressed={view === each} onClick={() => show(each)}>
                {title}
              </button>
            ))}
          </div>
          <div class="version-shown">
            {view === 'canary' && (
              <CanaryView
                state={onScreen}
                chosen={pair?.after}
                show={(step) => {
                  selected.value = step;
                  const { in_force: inForce, canary: other } = canary!.compared;
                  setQuery({ view: undefined, before: inForce.version, after: other.version });
                }}
              />
            )}
            {view === 'publish' && loaded.value.state === 'there' && flow !== undefined && (
              <PublishView
                flow={name}
                etag={flow.built_in ? undefined : flow.etag}
                numbers={flow.numbers}
                version={pair?.after}
                inForce={versions.find((version) => version.in_force)}
                text={shown?.afterText}
                replay={replay}
                reload={async () => {
                  reload();
                  await onScreen.reload();
                }}
              />
            )}
            {view === undefined && shown !== undefined && diff !== undefined && (
              <FlowCanvas graph={diff.graph} selected={selected} overlays={overlays!} text={() => shown.afterText} />
            )}
            {view === undefined && overlays?.compared !== undefined && <Legend />}
            {view === 'text' && shown !== undefined && pair !== undefined && <Texts pair={pair} {...shown} />}
            {versions.length === 1 && (view === undefined || view === 'text') && (
              <p class="empty">{t('There is one version so far. The next save makes another.')}</p>
            )}
          </div>
        </Pane>
      </div>
    </Page>
  );
}

/** Adds the counts of the canary if these are its two versions. */
function marksOf({ overlays, graph }: TextDiff, pair: Pair | undefined, canary: CanaryData | undefined): Overlays {
  const compared = canary?.compared;
  const isOfCanary = compared?.in_force.version === pair?.before.hash && compared?.canary.version === pair?.after.hash;
  return { diff: overlays, ...(compared && isOfCanary && { compared: comparedMarks(compared, graph) }) };
}

/** Explains the two numbers of a step. */
const Legend = () => (
  <p class="compared-legend">
    {tNodes('Calls <b>in force</b>', { b: (part) => <b>{part}</b> })}

    <b>{t('canary')}</b>
  </p>
);

const CHANGE_WORDS: Readonly<Record<DiffMark, string>> = {
  added: t('added'),
  removed: t('removed'),
  changed: t('changed'),
};
const SIGNS: Readonly<Record<DiffMark, string>> = { added: '+', removed: '−', changed: '~' };

function Changes({ diff, selected }: { diff: TextDiff; selected: Signal<string | undefined> }) {
  if (diff.steps.length === 0) return null;
  return (
    <>
      <h2>{t('Changes')}</h2>
      <ul class="version-changes">
        {diff.steps.map(({ name, change }) => (
          <li key={name} class={change}>
            <button
              type="button"
              aria-current={selected.value === name}
              aria-label={`${name}, ${CHANGE_WORDS[change]}`}
              onClick={() => {
                selected.value = name;
              }}
            >
              <i aria-hidden="true">{SIGNS[change]}</i>
              <span>{name}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function changeFrom(
  { steps }: TextDiff,
  selected: string | undefined,
  by: 1 | -1,
): TextDiff['steps'][number] | undefined {
  const at = steps.findIndex(({ name }) => name === selected);
  return steps[at < 0 ? (by === 1 ? 0 : steps.length - 1) : (at + by + steps.length) % steps.length];
}

function Texts({ pair, beforeText, afterText }: Loaded & { pair: Pair }) {
  const labelOf = ({ hash, first_seen }: Version): string =>
    t('Text of {version}, {time}', { version: shortHash(hash), time: timeOf(first_seen) });
  return (
    <BothTexts
      left={{ text: beforeText, label: labelOf(pair.before) }}
      right={{ text: afterText, label: labelOf(pair.after) }}
    />
  );
}
