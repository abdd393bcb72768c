/** Shows the notices: to screen readers, and on the screen. */

import { t } from '../../shared/web/words/translate.ts';
import { dismiss, notices, politely, urgently } from './notices.ts';

export const Spoken = () => (
  <>
    <div class="unseen" aria-live="polite">
      <p key={politely.value.key}>{politely.value.text}</p>
    </div>
    <div class="unseen" aria-live="assertive">
      <p key={urgently.value.key}>{urgently.value.text}</p>
    </div>
  </>
);

export const NoticeList = () => (
  <>
    {notices.value.map(({ key, text }) => (
      <p class="banner notice" key={key}>
        <span>{text}</span>
        <button type="button" class="plain" aria-label={t('Dismiss: {text}', { text })} onClick={() => dismiss(key)}>
          ✕
        </button>
      </p>
    ))}
  </>
);
