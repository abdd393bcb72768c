/** Root component: the sign-in form, or the navigation rail with the current screen. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../../shared/web/words/translate.ts';
import { Account } from './account/account.tsx';
import { signedOut } from './api.ts';
import { Icon } from './icons.tsx';
import { homeOf, SCREENS, type ScreenRow } from './screens.ts';
import { SETTINGS_PAGES } from './settings/pages.ts';
import { handleKey, type StudioCommand, useCommands } from './shell/commands.ts';
import { KeysHelp } from './shell/keys.tsx';
import { requestScreen } from './shell/later-files.ts';
import { useLazyScreen } from './shell/lazy-screen.ts';
import { Messages } from './shell/messages.tsx';
import { OfflineBar } from './shell/offline.tsx';
import { focusPane, Page } from './shell/page.tsx';
import { Palette } from './shell/palette.tsx';
import { addressOf, followLinks, location, match, navigate } from './shell/router.ts';
import { begin, type Session, session, signOut } from './shell/session.ts';
import { SignIn } from './shell/sign-in.tsx';
import { Skeleton } from './shell/skeleton.tsx';
import { Welcome } from './shell/welcome.tsx';

export function App() {
  const reason = useSignal<string | undefined>(undefined);
  useEffect(() => {
    void begin().then((failure) => {
      reason.value = failure;
    });
    // After the request for the session, which the frame of the page waits for.
    requestScreen();
    // Without a session it fails, and the screen tries again.
    void screenAt(SCREENS, pathOf(SCREENS))
      ?.row.request?.()
      .catch(() => undefined);
    addEventListener('keydown', handleKey);
    addEventListener('click', followLinks);
    return () => {
      removeEventListener('keydown', handleKey);
      removeEventListener('click', followLinks);
    };
  }, []);
  useEffect(() => {
    if (signedOut.value === 0 || typeof session.value !== 'object') return;
    reason.value = t('You were signed out. Unsaved changes are kept in this browser: sign in to continue.');
    session.value = 'none';
  }, [signedOut.value]);
  if (session.value === 'unknown') {
    return (
      <>
        <div class="studio">
          <div class="rail" />
          <Skeleton isSplit={false} />
        </div>
        <Messages />
      </>
    );
  }
  return (
    <>
      {session.value === 'none' ? <SignIn reason={reason.value} /> : <Studio signedIn={session.value} />}
      <Messages />
    </>
  );
}

type Box = 'palette' | 'keys';

function Studio({ signedIn }: { signedIn: Session }) {
  const box = useSignal<Box | undefined>(undefined);
  const screens = SCREENS.filter(({ isForAdmin }) => signedIn.role === 'admin' || isForAdmin !== true);
  const open = (which: Box) => () => {
    box.value = which;
  };
  const close = (): void => {
    box.value = undefined;
  };
  useCommands(
    () => [
      ...screens.flatMap(({ rail, path }): StudioCommand[] =>
        rail
          ? [{ title: rail.title, keys: rail.keys, group: t('Go to'), run: () => navigate(targetOf({ rail, path })) }]
          : [],
      ),
      ...(signedIn.role === 'admin' ? SETTINGS_PAGES : []).map(
        ({ slug, title }): StudioCommand => ({ title, group: t('Settings'), run: () => navigate(`/settings/${slug}`) }),
      ),
      { title: t('Find'), keys: 'Ctrl+k', group: t('Everywhere'), run: open('palette') },
      {
        title: t('Search the list of this screen'),
        keys: '/',
        group: t('Everywhere'),
        run: () => focusSearch() || open('palette')(),
      },
      { title: t('Show the keys of this screen'), keys: '?', group: t('Everywhere'), run: open('keys') },
      { title: t('Next pane'), keys: 'F6', group: t('Everywhere'), run: () => focusPane(1) },
      { title: t('Previous pane'), keys: 'Shift+F6', group: t('Everywhere'), run: () => focusPane(-1) },
      { title: t('Sign out'), group: t('Everywhere'), run: () => void signOut() },
    ],
    [signedIn.role],
  );
  return (
    <div class="studio">
      <OfflineBar />
      <Rail screens={screens} signedIn={signedIn} openKeys={open('keys')} />
      <CurrentScreen screens={screens} />
      {box.value === 'palette' && <Palette close={close} />}
      {box.value === 'keys' && <KeysHelp close={close} />}
      {signedIn.token !== undefined && <Welcome name={signedIn.name ?? ''} token={signedIn.token} />}
    </div>
  );
}

/** Focuses the search field of the screen. False if it has none. */
function focusSearch(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement>('main input[type="search"]');
  const field = [...fields].find((each) => each.checkVisibility());
  field?.focus();
  return field !== undefined;
}

/** Target of a rail entry: the page of the current flow, if the entry has one. */
function targetOf({ rail, path }: Pick<ScreenRow, 'rail' | 'path'>): string {
  const here = location.peek().path;
  const flow = /^\/flows\/[^/]+/.exec(here)?.[0];
  const own = flow !== undefined && rail?.ofFlow !== undefined ? `${flow}/${rail.ofFlow}` : here;
  return own === here ? path : own;
}

interface RailProps {
  screens: readonly ScreenRow[];
  signedIn: Session;
  openKeys(): void;
}

function Rail({ screens, signedIn, openKeys }: RailProps) {
  const { path } = location.value;
  return (
    <nav class="rail" aria-label={t('Studio')}>
      <a class="mark" href={addressOf(homeOf(screens))}>
        <span class="unseen">Callweave</span>
      </a>
      {screens.map(({ path: target, rail }) => {
        if (!rail) return null;
        const isHere = path === target || path.startsWith(`${target}/`);
        return (
          <a key={target} href={addressOf(target)} aria-current={isHere ? 'page' : undefined} title={rail.title}>
            <Icon name={rail.icon} size={18} />
            <span>{rail.title}</span>
          </a>
        );
      })}
      <div class="rail-end">
        <Account signedIn={signedIn} openKeys={openKeys} />
      </div>
    </nav>
  );
}

/** Failed attempts after which the user sees an explanation. */
const SILENT_FAILURES = 2;

const pathOf = (screens: readonly ScreenRow[]): string =>
  location.value.path === '/' ? homeOf(screens) : location.value.path;

const screenAt = (screens: readonly ScreenRow[], path: string) =>
  screens.map((row) => ({ row, params: match(row.path, path) })).find(({ params }) => params !== undefined);

function CurrentScreen({ screens }: { screens: readonly ScreenRow[] }) {
  const path = pathOf(screens);
  const found = screenAt(screens, path);
  const { code: Screen, failures } = useLazyScreen(found?.row.load);
  if (!found?.params)
    return (
      <Page title={t('Page not found')}>
        <p class="empty">{t('Page not found, or you have no access.')}</p>
      </Page>
    );
  if (Screen === undefined) {
    return failures > SILENT_FAILURES ? <NotLoaded /> : <Skeleton isSplit={/^\/(?:flows|calls)\/./.test(path)} />;
  }
  // The key resets all state when another flow or call is opened.
  return <Screen key={path} params={found.params} />;
}

/** A new version of the service has other file names, which only a reloaded page knows. */
const NotLoaded = () => (
  <Page title={t('Not loaded')}>
    <p class="empty" role="alert">
      {t('This screen could not be loaded from the service. It is tried again every second.')}{' '}
      <button type="button" class="button" onClick={() => globalThis.location.reload()}>
        {t('Reload page')}
      </button>
    </p>
  </Page>
);
