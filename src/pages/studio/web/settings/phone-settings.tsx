/** Dialog with the settings for the phone of a user, after it was saved. The password is shown only then. */
import { renderSVG } from 'uqr';
import { t } from '../../../shared/web/words/translate.ts';
import { Copyable } from '../shell/copyable.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { session } from '../shell/session.ts';

export interface PhoneAccount {
  user: string;
  /** Undefined if the password did not change: it cannot be read again. */
  password: string | undefined;
}

/** Address that phones register at. */
export function serverOf(): { host: string; port: number } {
  const { sip } = typeof session.value === 'object' ? session.value : {};
  return { host: sip?.host ?? globalThis.location.hostname, port: sip?.port ?? 5060 };
}

const TRANSPORT = t('Transport');

/** Settings in the words of phones, in the order in which they ask. */
export function linesOf({ user, password }: PhoneAccount): (readonly [name: string, value: string])[] {
  const { host, port } = serverOf();
  return [
    [t('Server (domain)'), port === 5060 ? host : `${host}:${port}`],
    [t('User name'), user],
    ...(password === undefined ? [] : [[t('Password'), password] as const]),
    [TRANSPORT, t('UDP or TCP')],
  ];
}

/** Names of the account in well-known phones. */
const PHONES: readonly (readonly [phone: string, way: string])[] = [
  ['Linphone', t('Assistant → Use a SIP account. User name, password and domain as above.')],
  ['Zoiper', t('Settings → Accounts → Add. User name as user@server, then the password.')],
  ['MicroSIP', t('Menu → Add account. SIP server and domain: the server; login: the user name.')],
  [t('Desk phones'), t('Account or line: registrar is the server, authentication ID is the user name.')],
];

export function PhoneSettings({ account, close }: { account: PhoneAccount; close(): void }) {
  const lines = linesOf(account);
  const code = renderSVG(lines.map(([name, value]) => `${name}: ${value}`).join('\n'), { border: 2 });
  return (
    <Dialog title={t('Settings for the phone of {user}', { user: account.user })} close={close} class="phone-settings">
      <div class="phone-settings-body">
        <dl>
          {lines.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{name === TRANSPORT ? value : <Copyable text={value} />}</dd>
            </div>
          ))}
        </dl>
        <figure>
          <img
            src={`data:image/svg+xml,${encodeURIComponent(code)}`}
            width={148}
            height={148}
            alt={t('QR code with the settings for the phone of {user}', { user: account.user })}
          />
          <figcaption>{t('Scan it to have these on the phone.')}</figcaption>
        </figure>
        <p class="phone-settings-note">
          {account.password === undefined
            ? t('The password is as before, and cannot be shown again. Save a new one to see it here.')
            : t('The password is shown only now. Later it can be replaced, not read.')}
        </p>
        <details>
          <summary>{t('Where to enter them')}</summary>
          <dl class="phones">
            {PHONES.map(([phone, way]) => (
              <div key={phone}>
                <dt>{phone}</dt>
                <dd>{way}</dd>
              </div>
            ))}
          </dl>
        </details>
      </div>
    </Dialog>
  );
}
