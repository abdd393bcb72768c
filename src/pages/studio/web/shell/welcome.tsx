/** Dialog for an administrator that has accepted an invitation, with the token for later. It is shown only once. */

import { t, tNodes } from '../../../shared/web/words/translate.ts';
import { Copyable } from './copyable.tsx';
import { Dialog } from './dialog.tsx';
import { forgetToken } from './session.ts';

export const Welcome = ({ name, token }: { name: string; token: string }) => (
  <Dialog title={t('Welcome, {name}', { name })} close={forgetToken}>
    <div class="welcome">
      <p>{t('You are signed in. This is your token for the next time: keep it in a password manager.')}</p>
      <p>
        <Copyable text={token} isFirst />
      </p>
      <p>
        {tNodes('<strong>It is shown only now.</strong> If you lose it, ask for a new invitation.', {
          strong: (part) => <strong>{part}</strong>,
        })}
      </p>
    </div>
  </Dialog>
);
