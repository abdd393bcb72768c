/** Dialog with a new invitation link or token of an administrator. Both are shown only once. */
import { renderSVG } from 'uqr';
import { t } from '../../../shared/web/words/translate.ts';
import { Copyable } from '../shell/copyable.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { addressOf } from '../shell/router.ts';
import { isLocalHost } from './administrator-words.ts';

/** Response with the code of an invitation, or with a token. */
export interface NewAccess {
  name: string;
  code?: string;
  token?: string;
}

/** The link has the address of this page, because the colleague reaches the service by the same one. */
const linkOf = (code: string): string => `${globalThis.location.origin}${addressOf('/')}#code=${code}`;

export const AccessSecret = ({ made: { name, code, token }, close }: { made: NewAccess; close(): void }) => (
  <Dialog
    title={code === undefined ? t('Token of {name}', { name }) : t('Invitation for {name}', { name })}
    close={close}
    class="access-secret"
  >
    {code === undefined ? <Token token={token!} /> : <Invitation name={name} link={linkOf(code)} />}
  </Dialog>
);

const Invitation = ({ name, link }: { name: string; link: string }) => (
  <div class="phone-settings-body">
    <div>
      <p>
        {t(
          'Send this link to {name}. It works once, within 24 hours, and gives {name} a token for later. It is shown only now.',
          { name },
        )}
      </p>
      <p class="secret-text">
        <Copyable text={link} isFirst />
      </p>
      {isLocalHost(globalThis.location.hostname) && (
        <p class="form-problem">
          {t(
            'You have opened the studio at {host}: this link works on this machine only. Open the studio at the address that {name} uses, and invite again.',
            { host: globalThis.location.hostname, name },
          )}
        </p>
      )}
    </div>
    <figure>
      <img
        src={`data:image/svg+xml,${encodeURIComponent(renderSVG(link, { border: 2 }))}`}
        width={148}
        height={148}
        alt={t('QR code with the invitation for {name}', { name })}
      />
      <figcaption>{t('Or scan it.')}</figcaption>
    </figure>
  </div>
);

const Token = ({ token }: { token: string }) => (
  <div class="welcome">
    <p>
      {t(
        'Keep it in a password manager: it is shown only now. It signs in to the studio, and programs send it as Authorization: Bearer.',
      )}
    </p>
    <p class="secret-text">
      <Copyable text={token} isFirst />
    </p>
  </div>
);
