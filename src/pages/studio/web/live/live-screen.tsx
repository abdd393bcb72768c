/** Screen `/flows/:name/live`: the flow with the number of calls in each step. Uses `live-store.ts`. */
import '../call-rows/calls.css';
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t, tNodes } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { CallActions } from '../call-rows/call-actions.tsx';
import type { CallRow } from '../call-rows/call-row.ts';
import { durationOf } from '../call-rows/call-times.ts';
import { VirtualList } from '../call-rows/virtual-list.tsx';
import { FlowCanvas } from '../graph/canvas.tsx';
import type { Overlays } from '../graph/overlays.ts';
import { Icon } from '../icons.tsx';
import type { VisitedPath } from '../journal/path.ts';
import { useCommands } from '../shell/commands.ts';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf, location, navigate, setQuery } from '../shell/router.ts';
import type { ScreenProps } from '../shell/screen.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { CallOutDialog } from './call-out.tsx';
import { Connection } from './connection.tsx';
import { FollowedCall } from './followed-call.tsx';
import { countsOf, isOfFlow } from './live-calls.ts';
import { LivePhone } from './live-phone.tsx';
import { live, useLiveCalls } from './live-store.ts';

const ROW_HEIGHT = 34;

export function LiveScreen({ params }: ScreenProps) {
  const name = params['name']!;
  useLiveCalls();
  const graph = useSignal<FlowGraph | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  const selected = useSignal<string | undefined>(undefined);
  const active = useSignal(0);
  const now = useSignal(Date.now());
  const counts = useComputed(() => countsOf(live.value, name));
  const path = useSignal<VisitedPath | undefined>(undefined);
  const ownCall = useSignal<string | undefined>(undefined);
  const overlays = useMemo(
    (): Overlays => ({ live: counts, ...(path.value !== undefined && { path: path.value }) }),
    [path.value],
  );
  const calls = useComputed(() =>
    [...live.value.calls.values()]
      .filter((row) => isOfFlow(row, name))
      .sort((one, other) => other.startedMs - one.startedMs),
  );
  useEffect(() => {
    request<FlowGraph & Record<string, never>>(`/voice/v1/flow/${encodeURIComponent(name)}/graph`).then(
      (found) => {
        graph.value = found;
      },
      (error: Error) => {
        failure.value = error.message;
      },
    );
    const clock = setInterval(() => {
      now.value = Date.now();
    }, 1000);
    return () => clearInterval(clock);
  }, []);
  const hasPhone = location.value.query['call'] === 'yes';
  const followed = location.value.query['follow'];
  const isCallingOut = useSignal(false);
  const callOut = (): void => {
    isCallingOut.value = true;
  };
  const showPhone = (): void => setQuery({ call: location.peek().query['call'] === 'yes' ? undefined : 'yes' });
  useCommands(() => [
    { title: t('Call with your microphone'), keys: 'p', group: t('Live'), changes: true, run: showPhone },
    { title: t('Call a phone'), keys: 'd', group: t('Live'), changes: true, run: callOut },
    {
      title: t('To the calls'),
      keys: 'Escape',
      group: t('Live'),
      run: () => navigate('/calls', { q: `flow:${name} is:live` }),
    },
  ]);
  const open = ({ id }: CallRow): void => navigate(`/calls/${encodeURIComponent(id)}`);
  const chosen = calls.value[active.value];
  return (
    <Page
      title={t('{name} · live calls', { name })}
      crumb={tNodes('<a>Calls</a> / {name} · live calls', {
        a: (part) => <a href={addressOf('/calls')}>{part}</a>,
        name,
      })}
      actions={
        <>
          <WriteAccessOnly>
            <button
              type="button"
              class={`button${hasPhone ? ' on' : ''}`}
              aria-pressed={hasPhone}
              title={t('Call with your microphone (p); the call uses the saved version')}
              onClick={showPhone}
            >
              <Icon name="calls" /> {t('Call it')}
            </button>
            <button type="button" class="button" title={t('Call a phone with this flow (d)')} onClick={callOut}>
              {t('Call a phone')}
            </button>
          </WriteAccessOnly>
          {chosen !== undefined && (
            <CallActions key={chosen.id} call={chosen} hasHangUp={chosen.id !== ownCall.value} />
          )}
          <a class="button" href={addressOf('/calls', { q: `flow:${name} is:live` })}>
            {t('List')}
          </a>
        </>
      }
      status={
        <>
          <Connection />
          <span>{t('{count, plural, one {# call} other {# calls}}', { count: calls.value.length })}</span>
        </>
      }
    >
      <div class="live-page">
        <Pane label={t('Flow')} class="call-graph">
          {graph.value === undefined ? (
            <p class="empty">{failure.value ?? t('Reading…')}</p>
          ) : (
            <FlowCanvas graph={graph.value} selected={selected} overlays={overlays} />
          )}
        </Pane>
        <Pane label={t('Calls')} class="live-side">
          {hasPhone && <LivePhone flow={name} selected={selected} ownCall={ownCall} path={path} />}
          {followed !== undefined && (
            <FollowedCall key={followed} id={followed} again={callOut} {...{ flow: name, selected, path }} />
          )}
          <h2>
            {t('Calls')} <small>{calls.value.length}</small>
          </h2>
          {calls.value.length === 0 && <p class="empty">{t('No live calls.')}</p>}
          <VirtualList
            items={calls.value}
            keyOf={({ id }) => id}
            rowHeight={ROW_HEIGHT}
            label={t('Live calls')}
            one={t('call')}
            active={active}
            onActivate={(index) => {
              active.value = index;
              selected.value = calls.value[index]?.step;
            }}
            onOpen={open}
          >
            {({ from, step, startedMs }) => (
              <>
                <b>{from}</b>
                <span>{step}</span>
                <time>{durationOf(now.value - startedMs)}</time>
              </>
            )}
          </VirtualList>
        </Pane>
      </div>
      {isCallingOut.value && <CallOutDialog flows={[name]} close={() => (isCallingOut.value = false)} />}
    </Page>
  );
}
