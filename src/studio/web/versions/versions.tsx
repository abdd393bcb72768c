/**
 * Versions of a flow: any two of them in one drawing, or as text side by side; and which of the latest calls would go
 * another way on the newer one. The address says which two. Neighbours: `version-diff.ts`, `version-api.ts`.
 */
import './versions.css';
import { type Signal, useSignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { GraphLanguage } from '../../../flow/graph.ts';
import { FlowCanvas } from '../graph/canvas.tsx';
import type { Change } from '../graph/marks.ts';
import { useCommands } from '../shell/commands.ts';
import { useLoaded } from '../shell/load.ts';
import { announce } from '../shell/messages.tsx';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf, choose, place } from '../shell/router.ts';
import type { ScreenProps } from '../shell/screen.ts';
import { loadLanguage } from '../text/language.ts';
import { ReplayedCalls, useReplay } from './replayed-calls.tsx';
import { listVersions, readVersion, type Version } from './version-api.ts';
import { diffTexts, type TextDiff } from './version-diff.ts';

interface Pair {
  before: Version;
  after: Version;
}

interface Loaded {
  beforeText: string;
  afterText: string;
  verbs: GraphLanguage;
}

export function Versions({ params }: ScreenProps) {
  const name = params['name']!;
  const { loaded } = useLoaded((signal) => listVersions(name, signal), [name]);
  const versions = loaded.value.state === 'there' ? loaded.value.value : [];
  const { before, after, view } = place.value.query;
  const pair = pairOf(versions, before, after);
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
  const selected = useSignal<string | undefined>(undefined);
  const replay = useReplay(name, pair?.after.hash, shown?.afterText);
  const isText = view === 'text';
  const show = (next: 'text' | undefined): void => choose({ view: next });
  const goTo = (by: 1 | -1): void => {
    const next = diff && changeFrom(diff, selected.value, by);
    if (next === undefined) return;
    selected.value = next.name;
    announce(`${next.name} ${next.change}`);
  };
  useCommands(
    () => [
      {
        title: isText ? 'Show the drawing' : 'Show the texts',
        keys: 't',
        group: 'Versions',
        run: () => show(isText ? undefined : 'text'),
      },
      { title: 'Next change', keys: 'n', group: 'Versions', run: () => goTo(1) },
      { title: 'Change before', keys: 'p', group: 'Versions', run: () => goTo(-1) },
      { title: 'Replay the latest calls on the newer version', keys: 'y', group: 'Versions', run: replay.start },
    ],
    [isText, diff, shown],
  );
  const failed = [loaded.value, texts].find((each) => each.state === 'failed');
  return (
    <Page
      title={`Versions of ${name}`}
      crumb={
        <>
          <a href={addressOf('/flows')}>flows /</a>{' '}
          <a href={addressOf(`/flows/${encodeURIComponent(name)}`)}>{name} /</a> versions
        </>
      }
      actions={
        <>
          <button
            type="button"
            class={`button ${isText ? '' : 'on'}`}
            aria-pressed={!isText}
            onClick={() => show(undefined)}
          >
            Drawing
          </button>
          <button
            type="button"
            class={`button ${isText ? 'on' : ''}`}
            aria-pressed={isText}
            onClick={() => show('text')}
          >
            Text
          </button>
        </>
      }
      status={<span>{diff?.words ?? ''}</span>}
    >
      <div class="versions">
        <Pane label="Versions" class="version-list">
          {failed?.state === 'failed' && <p role="alert">{failed.error.message}</p>}
          {loaded.value.state === 'there' && <VersionTable versions={versions} pair={pair} />}
          {diff !== undefined && <Changes diff={diff} selected={selected} />}
          <button
            type="button"
            class="button version-replay"
            disabled={shown === undefined || replay.isRunning}
            onClick={replay.start}
          >
            {replay.isRunning ? 'Replaying …' : 'Replay 200 calls on the newer one'}
          </button>
          <ReplayedCalls replay={replay} />
        </Pane>
        <Pane label={isText ? 'Both texts' : 'Both versions in one drawing'} class="version-view">
          {shown !== undefined && diff !== undefined && pair !== undefined && !isText && (
            <FlowCanvas
              graph={diff.graph}
              selected={selected}
              marks={{ diff: diff.marks }}
              text={() => shown.afterText}
            />
          )}
          {shown !== undefined && pair !== undefined && isText && <Texts pair={pair} {...shown} />}
          {loaded.value.state === 'there' && pair === undefined && (
            <p class="empty">There is one version so far. The next save makes another.</p>
          )}
        </Pane>
      </div>
    </Page>
  );
}

/** Those of the address (the list of changes names them by their etags), or else the one in force and the one before. */
function pairOf(versions: readonly Version[], before: string | undefined, after: string | undefined): Pair | undefined {
  const find = (wanted: string | undefined): Version | undefined =>
    versions.find(({ hash, etag }) => wanted !== undefined && (hash === wanted || etag === wanted));
  const newer = find(after) ?? versions[0];
  const older = find(before) ?? versions.find((version) => version !== newer);
  return newer === undefined || older === undefined ? undefined : { before: older, after: newer };
}

function VersionTable({ versions, pair }: { versions: readonly Version[]; pair: Pair | undefined }) {
  const radio = (side: keyof Pair, { hash, first_seen }: Version) => (
    <label>
      <input
        type="radio"
        name={side}
        checked={pair?.[side].hash === hash}
        aria-label={`${side === 'before' ? 'Left' : 'Right'}: ${hash.slice(0, 8)}, ${timeOf(first_seen)}`}
        onChange={() => choose({ [side]: hash })}
      />
    </label>
  );
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">from</th>
          <th scope="col">to</th>
          <th scope="col">version</th>
        </tr>
      </thead>
      <tbody>
        {versions.map((version) => (
          <tr key={version.hash}>
            <td>{radio('before', version)}</td>
            <td>{radio('after', version)}</td>
            <td>
              <b>{timeOf(version.first_seen)}</b>
              {version.in_force && <span class="version-badge">in force</span>}
              <small>
                {version.author ?? 'found at a start'} · <code>{version.hash.slice(0, 8)}</code> ·{' '}
                {version.calls === 1 ? '1 call' : `${version.calls.toLocaleString()} calls`}
              </small>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const SIGNS: Readonly<Record<Change, string>> = { added: '+', removed: '−', changed: '~' };

function Changes({ diff, selected }: { diff: TextDiff; selected: Signal<string | undefined> }) {
  if (diff.steps.length === 0) return null;
  return (
    <>
      <h2>Changes</h2>
      <ul class="version-changes">
        {diff.steps.map(({ name, change }) => (
          <li key={name} class={change}>
            <button
              type="button"
              aria-current={selected.value === name}
              aria-label={`${name}, ${change}`}
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

type BothTexts = typeof import('../text/both-texts.tsx').BothTexts;

/** The text editor's code comes when it is first asked for. */
function Texts({ pair, beforeText, afterText }: Loaded & { pair: Pair }) {
  const view = useSignal<BothTexts | undefined>(undefined);
  useEffect(() => {
    void import('../text/both-texts.tsx').then((module) => {
      view.value = module.BothTexts;
    });
  }, []);
  const View = view.value as FunctionComponent<Parameters<BothTexts>[0]> | undefined;
  if (View === undefined) return null;
  const labelOf = ({ hash, first_seen }: Version): string => `Text of ${hash.slice(0, 8)}, ${timeOf(first_seen)}`;
  return (
    <View
      left={{ text: beforeText, label: labelOf(pair.before) }}
      right={{ text: afterText, label: labelOf(pair.after) }}
    />
  );
}

const timeOf = (at: string): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
