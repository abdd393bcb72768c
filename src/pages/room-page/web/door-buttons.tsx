/** Buttons with which a moderator admits or denies a participant in the lobby. */

import { t } from '../../shared/web/words/translate.ts';
import { say } from './meeting.ts';

export const DoorButtons = ({ id, name }: { id: string; name: string }) => (
  <>
    <button
      type="button"
      class="button"
      aria-label={t('Deny {name}', { name })}
      onClick={() => say({ type: 'deny', participant: id })}
    >
      {t('Deny')}
    </button>
    <button
      type="button"
      class="button primary"
      aria-label={t('Admit {name}', { name })}
      onClick={() => say({ type: 'admit', participant: id })}
    >
      {t('Admit')}
    </button>
  </>
);
