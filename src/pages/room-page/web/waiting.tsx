/** Screen of the lobby: a moderator has to join, or to admit the participant. */

import { t } from '../../shared/web/words/translate.ts';
import { invitation, leave } from './meeting.ts';

const WORDS = {
  moderator: { title: t('Waiting for the host'), text: t('You come in as soon as a moderator is there.') },
  admission: { title: t('Asking to come in'), text: t('A moderator has been asked to let you in.') },
} as const;

export function Waiting({ reason }: { reason: keyof typeof WORDS }) {
  const { title, text } = WORDS[reason];
  return (
    <main class="door">
      <section class="card" aria-labelledby="waiting-title">
        <div class="pulse" aria-hidden="true" />
        <h1 id="waiting-title">{title}</h1>
        <p class="hint">{invitation.value?.room.name}</p>
        <p role="status">
          {text} {t('Keep this page open.')}
        </p>
        <button type="button" class="button" onClick={leave}>
          {t('Do not wait')}
        </button>
      </section>
    </main>
  );
}
