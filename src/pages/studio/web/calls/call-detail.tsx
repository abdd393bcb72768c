/**
 * Screen `/calls/:voice_id`: one call at any moment, with its path through the flow, its story, audio and variables.
 * The URL contains the moment. `call-path.ts` holds the moment; the files next to it are the parts.
 */
import '../call-rows/calls.css';
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { FlowGraph, VerbGroup } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { CallActions } from '../call-rows/call-actions.tsx';
import { durationOf, momentOf } from '../call-rows/call-times.ts';
import type { CallFacts } from '../call-rows/journal-source.ts';
import { FlowCanvas } from '../graph/canvas.tsx';
import type { Overlays } from '../graph/overlays.ts';
import { lengthInWords } from '../journal/moment.ts';
import { ownVisitsOf } from '../journal/visits.ts';
import { useLiveCalls } from '../live/live-store.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { announce, tellError } from '../shell/messages.tsx';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf, goToFlow, location, navigate, setQuery } from '../shell/router.ts';
import type { ScreenProps } from '../shell/screen.ts';
import { isReader, session } from '../shell/session.ts';
import { ViewTabs } from '../shell/view-tabs.tsx';
import { Facts } from './call-facts.tsx';
import { type CallGraphs, useCallGraphs } from './call-graphs.ts';
import { CallMissing } from './call-missing.tsx';
import { CallPath } from './call-path.ts';
import { Player } from './player.ts';
import { drawingOfBoth, ReplayData, replayToday } from './replay.tsx';
import { useAddress, useJournal } from './shown-journal.ts';
import { StoryList } from './story-list.tsx';
import { TakeOver } from './take-over.tsx';
import { Timeline } from './timeline-view.tsx';

const VIEWS = [
  [t('Journal'), undefined],
  [t('Flow'), 'flow'],
  [t('Timeline'), 'time'],
] as const;
type Box = 'test' | undefined;

export function CallDetail({ params }: ScreenProps) {
  const id = params['voice_id']!;
  useLiveCalls();
  const path = useMemo(() => new CallPath(), []);
  const player = useMemo(() => new Player(id, path), []);
  const facts = useSignal<CallFacts | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  const isToday = useSignal(location.peek().query['flow'] === 'today');
  const box = useSignal<Box>(undefined);
  const replayed = useSignal<ReplayData | undefined>(undefined);
  useJournal(id, path, player, (found) => {
    if ('row' in found) facts.value = found;
    else failure.value = found.message;
  });
  useAddress(path);

  const rootFlow = facts.value?.flow;
  const flowName = path.flow.value ?? rootFlow?.name;
  const graphs = useCallGraphs(path, flowName, isToday.value);
  const selected = useSignal<string | undefined>(undefined);
  const overlays = useComputed(
    (): Overlays => (path.flow.value === undefined ? {} : { path: path.path(path.flow.value) }),
  );
  // Selects the step of the current moment in the graph.
  useSignalEffect(() => {
    const now = overlays.value.path?.now;
    if (now !== undefined) selected.value = now;
  });

  const both = useBothWays(path, graphs, rootFlow, replayed.value);
  const graph = both?.graph ?? graphs.graph;

  const travel = (by: 1 | -1, toStep: boolean): void => {
    player.stop();
    const line = path.step(by, toStep);
    if (line !== undefined) announce(line.text);
  };
  const mayReplay = typeof session.value === 'object' && session.value.role === 'admin' && !isReader();
  const replay = async (): Promise<void> => {
    if (rootFlow === undefined) return;
    graphs.refresh();
    try {
      replayed.value = await replayToday(rootFlow.name, id);
    } catch (error) {
      tellError(error);
    }
  };
  useCommands(
    () => [
      { title: t('One entry on'), keys: 'ArrowRight', group: 'Moments', run: () => travel(1, false) },
      { title: t('One entry back'), keys: 'ArrowLeft', group: 'Moments', run: () => travel(-1, false) },
      { title: t('One step on'), keys: 'Shift+ArrowRight', group: 'Moments', run: () => travel(1, true) },
      { title: t('One step back'), keys: 'Shift+ArrowLeft', group: 'Moments', run: () => travel(-1, true) },
      { title: t('To the beginning'), keys: 'Home', group: 'Moments', run: () => path.toIndex(0) },
      { title: t('To the end'), keys: 'End', group: 'Moments', run: () => path.toIndex(Number.POSITIVE_INFINITY) },
      { title: t('Listen, or stop'), keys: 'Space', group: 'Moments', run: () => pressOrListen(player) },
      { title: t('Back to the calls'), keys: 'Escape', group: t('Call'), run: () => navigate('/calls') },
      {
        title: t('Switch between the current flow and the version of the call'),
        keys: 'v',
        group: t('Call'),
        run: switchFlow,
      },
      ...(mayReplay
        ? [
            { title: t("Replay on today's flow"), keys: 'p', group: t('Call'), run: () => void replay() },
            { title: t('Create test from call'), keys: 't', group: t('Call'), run: openTest },
          ]
        : []),
    ],
    [mayReplay, rootFlow?.name],
  );
  function switchFlow(): void {
    isToday.value = !isToday.peek();
    graphs.refresh();
    setQuery({ flow: isToday.peek() ? 'today' : undefined });
  }
  function openTest(): void {
    box.value = 'test';
  }

  const row = facts.value?.row;
  const isLive = row !== undefined && row.endedMs === undefined;
  const groups = useMemo(() => new Map(graph?.steps.map(({ name, group }) => [name, group])), [graph]);
  const groupOf = (step: string): VerbGroup => groups.get(step) ?? 'logic';
  if (failure.value !== undefined) {
    return (
      <Page title={t('Call')} crumb={<Crumb id={id} />}>
        <CallMissing reason={failure.value} />
      </Page>
    );
  }
  return (
    <Page
      title={row === undefined ? t('Call') : t('Call from {from}', { from: row.from })}
      crumb={
        <>
          <Crumb id={id} />{' '}
          {row !== undefined && (
            <small>
              <bdi dir="ltr">
                {row.from} → {row.to}
              </bdi>{' '}
              · {momentOf(row.startedMs)} ·{' '}
              {isLive ? t('live') : `${durationOf(path.lengthMs.value)} · ${row.cause ?? row.state}`}
            </small>
          )}
        </>
      }
      actions={
        <>
          {isLive && <CallActions call={row} events={eventsAwaited(graph, overlays.value.path?.now)} />}
          {mayReplay && (
            <>
              <button type="button" class="button" onClick={() => void replay()}>
                {t('Replay on current flow')}
              </button>
              <button type="button" class="button" onClick={openTest}>
                {t('Create test from call')}
              </button>
            </>
          )}
          <Listen player={player} />
        </>
      }
      status={
        <>
          {isLive && <span class="good">{t('● live')}</span>}
          <span>
            <Keys of="ArrowLeft" /> <Keys of="ArrowRight" /> {t('entry')}
          </span>
          <span>
            <Keys of="Shift+ArrowRight" /> {t('step')}
          </span>
          {path.folds.value.length > 0 && (
            <span>
              {t('{length} of waiting folded', {
                length: lengthInWords(path.folds.value.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)),
              })}
            </span>
          )}
          {player.failures.value > 0 && (
            <span class="bad">
              {t('{count, plural, one {# sound is} other {# sounds are}} not there any more', {
                count: player.failures.value,
              })}
            </span>
          )}
        </>
      }
    >
      <div class="call-page" data-show={location.value.query['show'] ?? 'journal'}>
        <ViewTabs views={VIEWS} />
        <Pane label={t('Flow')} class="call-graph">
          <div class="call-version">
            {flowName !== undefined && rootFlow !== undefined && both === undefined && (
              <button
                type="button"
                class="button"
                aria-pressed={isToday.value}
                onClick={switchFlow}
                title={t('Which text of the flow is drawn (v)')}
              >
                {isToday.value
                  ? t('{flowName}, current version', { flowName })
                  : t('{flowName}, version during this call', { flowName })}
                <code>
                  {isToday.value
                    ? t('today')
                    : (path.paths.value.versionAt(path.index.value, flowName)?.slice(0, 8) ?? '?')}
                </code>
              </button>
            )}
            {both !== undefined && (
              <span class="both-ways">
                {rootFlow?.name}: <span class="way-then">{t('then')}</span> <span class="way-today">{t('today')}</span>
              </span>
            )}
            {graph !== undefined && graphs.note !== undefined && <span class="bad">{graphs.note}</span>}
          </div>
          {replayed.value !== undefined && (
            <ReplayData
              result={replayed.value}
              then={ownVisitsOf(path.journal.value)}
              selected={selected}
              go={(atMs, seq) => (seq === undefined ? path.toMs(atMs) : path.toSeq(seq))}
              close={() => {
                replayed.value = undefined;
              }}
            />
          )}
          {graph === undefined ? (
            <p class="empty">{graphs.note ?? t('Reading…')}</p>
          ) : (
            <FlowCanvas
              key={graph.name}
              graph={graph}
              selected={selected}
              overlays={both?.overlays ?? overlays.value}
              flows={graphs.flows}
              onOpen={(step) => goToFlow(graph.name, step)}
              onOpenFlow={goToFlow}
            />
          )}
        </Pane>
        <Pane label={t('Journal')} class="call-side">
          <StoryList path={path} />
          <Facts path={path} record={facts.value?.record} />
        </Pane>
        <Pane label={t('Timeline')} class="call-time">
          <Timeline path={path} player={player} groupOf={groupOf} />
        </Pane>
      </div>
      {box.value === 'test' && rootFlow !== undefined && (
        <TakeOver
          flow={rootFlow.name}
          id={id}
          close={() => {
            box.value = undefined;
          }}
        />
      )}
    </Page>
  );
}

/** Event names for the step of the call, and those that every step accepts. */
function eventsAwaited(graph: FlowGraph | undefined, now: string | undefined): string[] {
  const step = graph?.steps.find(({ name, verb }) => name === now && verb === 'wait_for');
  const own =
    step?.exits.flatMap(({ covers }) => covers).filter((name) => !/^(timeout|hangup|error)$/.test(name)) ?? [];
  const others = Object.keys(graph?.events ?? {}).flatMap((name) => /^event\.(.+)/.exec(name)?.[1] ?? []);
  return [...new Set([...own, ...others])];
}

const Crumb = ({ id }: { id: string }) => (
  <>
    <a href={addressOf('/calls')}>{t('Calls')}</a> / {id.slice(0, 8)}
  </>
);

function Listen({ player }: { player: Player }) {
  const isOn = player.isPlaying.value;
  return (
    <button
      type="button"
      class={`button ${isOn ? 'on' : 'primary'}`}
      aria-pressed={isOn}
      onClick={() => player.toggle()}
    >
      {isOn ? t('■ Stop') : t('▶ Listen')} <kbd>{t('Space')}</kbd>
    </button>
  );
}

/** Space presses the focused button instead of starting playback. */
function pressOrListen(player: Player): void {
  const focused = document.activeElement;
  if (focused instanceof HTMLButtonElement || focused?.getAttribute('role') === 'button')
    (focused as HTMLElement).click();
  else player.toggle();
}

/** For a replay that diverges: one drawing of the recorded and the current flow, with both paths. */
function useBothWays(
  path: CallPath,
  { read }: CallGraphs,
  root: CallFacts['flow'] | undefined,
  replayed: ReplayData | undefined,
) {
  const today = replayed?.today;
  const now = today && root && read(root.name);
  const then = today && root && read(root.name, root.hash);
  return useMemo(() => {
    if (today === undefined || now === undefined || then === undefined || now === 'missing') return undefined;
    return drawingOfBoth(then === 'missing' ? now : then, now, [ownVisitsOf(path.journal.peek()), today]);
  }, [today, now, then]);
}
