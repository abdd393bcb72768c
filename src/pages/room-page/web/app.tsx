/** The whole page: chooses the screen, and has the announcements. */
import { useEffect } from 'preact/hooks';
import { t } from '../../shared/web/words/translate.ts';
import { invitation, open, phase } from './meeting.ts';
import { Spoken } from './notice-list.tsx';
import { Over } from './over.tsx';
import { Preview } from './preview.tsx';
import { Room } from './room.tsx';
import { Waiting } from './waiting.tsx';

export function App() {
  useEffect(() => {
    void open();
    // Another link was opened in the same tab.
    const anew = (): void => location.reload();
    addEventListener('hashchange', anew);
    return () => removeEventListener('hashchange', anew);
  }, []);
  const name = invitation.value?.room.name;
  useEffect(() => {
    document.title = name === undefined ? t('Room') : t('{name} · Room', { name });
  }, [name]);
  return (
    <>
      <Screen />
      <Spoken />
    </>
  );
}

function Screen() {
  const now = phase.value;
  switch (now.at) {
    case 'asking':
      return (
        <main class="door">
          <p role="status">{t('Reading your invitation…')}</p>
        </main>
      );
    case 'preview':
    case 'joining':
      return <Preview isJoining={now.at === 'joining'} isBack={now.at === 'preview' && now.resumeKey !== undefined} />;
    case 'waiting':
      return <Waiting reason={now.for} />;
    case 'in':
      return <Room />;
    case 'over':
      return <Over reason={now.reason} />;
  }
}
