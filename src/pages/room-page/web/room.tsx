/** Room screen: participants on the stage, controls below, chat and people in a side panel. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { pageLocale, t, tNodes } from '../../shared/web/words/translate.ts';
import { AudienceVideo } from './audience-video.tsx';
import { CaptionBand } from './caption-band.tsx';
import { ChatPanel } from './chat-panel.tsx';
import { Controls } from './controls.tsx';
import { RoomDialogs } from './dialogs.tsx';
import { DoorButtons } from './door-buttons.tsx';
import { Icon, type RoomIconName } from './icon.tsx';
import { isAway, isWeak, session, toggle, toggleCaptions, toggleHand, toggleScreen, wantsCaptions } from './meeting.ts';
import { NoticeList } from './notice-list.tsx';
import { PeoplePanel } from './people-panel.tsx';
import { PollsPanel } from './polls-panel.tsx';
import { listenToSpace } from './push-to-talk.ts';
import { isModerator, mayWrite, type SessionState, unansweredPoll } from './room-state.ts';
import { isDialogOpen, isReacting, openDialog, panel, togglePanel, toggleView, view } from './screen-state.ts';
import { type Shortcut, shortcutOf } from './shortcuts.ts';
import { isBlocked, unblock } from './sounds.ts';
import { speakingWords } from './speaking-words.ts';
import { StageView } from './stage.tsx';
import { isShown } from './stage-layout.ts';

const RUN: Readonly<Record<Shortcut, () => unknown>> = {
  m: () => toggle('audio'),
  v: () => toggle('video'),
  s: () => toggleScreen(),
  h: () => (mayWrite(session.peek()!) ? toggleHand() : undefined),
  c: () => togglePanel('chat'),
  p: () => togglePanel('people'),
  t: () => (session.peek()!.room.hasCaptions ? toggleCaptions() : undefined),
  o: () => (hasPolls(session.peek()!) ? togglePanel('polls') : undefined),
  e: () => {
    isReacting.value = mayWrite(session.peek()!) && !isReacting.peek();
  },
  n: () => openDialog('network'),
  g: () => (hasViews(session.peek()!) ? toggleView() : undefined),
  '?': () => openDialog('keys'),
};

function pressed(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  const isWriting = target.closest('input, textarea, select, [contenteditable]') !== null;
  const shortcut = shortcutOf(event, { isWriting, hasDialog: isDialogOpen() });
  if (shortcut === undefined) return;
  event.preventDefault();
  void RUN[shortcut]();
}

export function Room() {
  const now = session.value!;
  useEffect(() => {
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  useEffect(listenToSpace, []);
  return (
    <div class={`room ${panel.value ? 'with-panel' : ''}`}>
      <Head state={now} />
      <main class="stage-area" aria-label={t('Stage')}>
        <Banners state={now} />
        {now.role === 'audience' ? <AudienceVideo state={now} /> : <StageView state={now} />}
        {wantsCaptions.value && <CaptionBand captions={now.captions} />}
        <Speaking state={now} />
      </main>
      {panel.value === 'chat' && <ChatPanel state={now} />}
      {panel.value === 'people' && <PeoplePanel state={now} />}
      {panel.value === 'polls' && <PollsPanel state={now} />}
      <Controls state={now} />
      <RoomDialogs />
    </div>
  );
}

function Head({ state }: { state: SessionState }) {
  const { room, isRecording } = state;
  const isGrid = view.value === 'grid';
  return (
    <header class="room-head">
      <h1>{room.name}</h1>
      {room.description !== undefined && (
        <p class="description" title={room.description}>
          {room.description}
        </p>
      )}
      {room.isLecture && <span class="tag">{t('Lecture')}</span>}
      {isRecording && (
        <span class="tag recording">
          <Icon name="record" size={14} /> <span class="tag-words">{t('Recording')}</span>
        </span>
      )}
      {state.isCaptioned && (
        <span class="tag" title={t('The service turns speech into text for those who turned captions on.')}>
          <Icon name="captions" size={14} /> <span class="tag-words">{t('Captions on')}</span>
        </span>
      )}
      <span class="head-end">
        <TimeOfDay />
        {hasViews(state) && (
          <HeadButton
            icon={isGrid ? 'speaker' : 'grid'}
            name={isGrid ? t('Speaker view') : t('Grid view')}
            shortcut="g"
            run={toggleView}
          />
        )}
        {state.room.hasCaptions && state.role !== 'audience' && (
          <HeadButton
            icon="captions"
            name={t('Captions')}
            shortcut="t"
            isPressed={wantsCaptions.value}
            run={toggleCaptions}
          />
        )}
        {hasPolls(state) && (
          <HeadButton
            icon="polls"
            name={t('Polls')}
            shortcut="o"
            isPressed={panel.value === 'polls'}
            run={() => togglePanel('polls')}
          />
        )}
        <HeadButton icon="network" name={t('Your connection')} shortcut="n" run={() => openDialog('network')} />
        <HeadButton icon="devices" name={t('Camera, microphone and speaker')} run={() => openDialog('devices')} />
        <button
          type="button"
          class="button quiet keys-button"
          aria-keyshortcuts="?"
          aria-label={t('Keys')}
          title={t('Keys (?)')}
          onClick={() => openDialog('keys')}
        >
          <kbd>?</kbd>
        </button>
      </span>
    </header>
  );
}

interface HeadButtonProps {
  icon: RoomIconName;
  name: string;
  shortcut?: Shortcut;
  /** Absent: the button does not toggle. */
  isPressed?: boolean;
  run(): void;
}

const HeadButton = ({ icon, name, shortcut, isPressed, run }: HeadButtonProps) => (
  <button
    type="button"
    class="button quiet"
    aria-keyshortcuts={shortcut}
    aria-pressed={isPressed}
    aria-label={name}
    title={shortcut === undefined ? name : `${name} (${shortcut})`}
    onClick={run}
  >
    <Icon name={icon} />
  </button>
);

/** Moderators may ask; the others see what was asked. */
const hasPolls = (state: SessionState): boolean => isModerator(state) || state.polls.length > 0;

/** A shared screen is always large, and the audience has a single video. */
const hasViews = ({ role, people }: SessionState): boolean =>
  role !== 'audience' && ![...people.values()].some((one) => isShown(one, 'screen'));

const CLOCK_LOOK_MS = 5000;

function TimeOfDay() {
  const shown = useSignal(timeNow());
  useEffect(() => {
    const timer = setInterval(() => {
      shown.value = timeNow();
    }, CLOCK_LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return <time class="time-of-day">{shown}</time>;
}

const timeNow = (): string => new Date().toLocaleTimeString(pageLocale(), { hour: '2-digit', minute: '2-digit' });

/** Requests and warnings, between the head and the stage, so that they never cover a face. */
function Banners({ state }: { state: SessionState }) {
  return (
    <div class="banners">
      {isAway.value && (
        <p class="banner warn">
          <span class="spinner" aria-hidden="true" /> {t('Connection lost. Reconnecting…')}
        </p>
      )}
      {isWeak.value && !isAway.value && (
        <p class="banner warn">
          <span class="spinner" aria-hidden="true" /> {t('Connection unstable. Trying to restore it…')}
        </p>
      )}
      {Object.entries(state.cutOff).map(([direction, why]) => (
        <p key={direction} class="banner warn">
          {why}
        </p>
      ))}
      {isBlocked.value && (
        <p class="banner">
          {t('Your browser plays no sound yet.')}
          <button type="button" class="button primary" onClick={unblock}>
            {t('Turn on sound')}
          </button>
        </p>
      )}
      {isModerator(state) &&
        panel.value !== 'people' &&
        state.knocking.slice(0, 3).map(({ id, name }) => (
          <p class="banner" key={id}>
            <span>{tNodes('{name} asks to come in', { name: <strong>{name}</strong> })}</span>
            <span class="banner-buttons">
              <DoorButtons id={id} name={name} />
            </span>
          </p>
        ))}
      <PollBanner state={state} />
      <NoticeList />
    </div>
  );
}

function PollBanner({ state }: { state: SessionState }) {
  const poll = unansweredPoll(state);
  if (poll === undefined || panel.value === 'polls') return null;
  return (
    <p class="banner">
      <span>{tNodes('{name} asks: {question}', { name: <strong>{poll.by}</strong>, question: poll.question })}</span>
      <button type="button" class="button primary" onClick={() => togglePanel('polls')}>
        {t('Answer ## a question')}
      </button>
    </p>
  );
}

/** Names of the active speakers, as text. */
function Speaking({ state: { talking, people, selfId } }: { state: SessionState }) {
  const others = talking.flatMap((id) => (id === selfId ? [] : (people.get(id)?.name ?? [])));
  const words = speakingWords(
    others,
    talking.some((id) => id === selfId),
  );
  return (
    <p class="speaking">
      {words !== '' && (
        <>
          <Icon name="talking" size={14} /> {words}
        </>
      )}
    </p>
  );
}
