/** Creates links for more people, and shows each with a QR code, until it is withdrawn. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Invitation, Role } from '../../../../client/room-client.js';
import { Copyable } from '../../shared/web/copyable.tsx';
import { roleWords } from '../../shared/web/role-words.ts';
import { addressAtService } from '../../shared/web/service-root.ts';
import { pageLocale, t } from '../../shared/web/words/translate.ts';
import { say, session } from './meeting.ts';
import { announce } from './notices.ts';

const MAX_NAME = 200;

export function InviteForm() {
  const { room, invitations } = session.value!;
  const name = useSignal('');
  const role = useSignal<Role>(room.invites.includes('participant') ? 'participant' : room.invites[0]!);
  const submit = (event: Event): void => {
    event.preventDefault();
    const written = name.peek().trim();
    if (written === '') return;
    say({ type: 'invite', role: role.peek(), name: written });
    name.value = '';
  };
  return (
    <div class="dialog-body">
      <form class="invite-form" onSubmit={submit}>
        <label>
          <span>{t('Name of the person')}</span>
          <input
            type="text"
            autocomplete="off"
            maxLength={MAX_NAME}
            value={name.value}
            onInput={({ currentTarget: { value } }) => {
              name.value = value;
            }}
          />
        </label>
        {room.invites.length > 1 && (
          <label>
            <span>{t('Role')}</span>
            <select
              value={role.value}
              onChange={({ currentTarget: { value } }) => {
                role.value = value as Role;
              }}
            >
              {room.invites.map((each) => (
                <option key={each} value={each}>
                  {roleWords(each)}
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="submit" class="button primary" disabled={name.value.trim() === ''}>
          {t('Create link')}
        </button>
      </form>
      <p class="hint">{t('Each link lets one person in, once, within 15 minutes.')}</p>
      {invitations.length > 0 && (
        <ul class="invitations" aria-label={t('Links')}>
          {invitations.map((each, index) => (
            <Link key={each.id} invitation={each} roomId={room.id} isNew={index === 0} />
          ))}
        </ul>
      )}
    </div>
  );
}

interface LinkProps {
  invitation: Invitation;
  roomId: string;
  isNew: boolean;
}

function Link({ invitation: { id, name, role, token, expires_at: expiresMs }, roomId, isNew }: LinkProps) {
  const link = `${location.origin}${addressAtService(`/room/${encodeURIComponent(roomId)}#${token}`)}`;
  const time = new Date(expiresMs).toLocaleTimeString(pageLocale(), { hour: '2-digit', minute: '2-digit' });
  return (
    <li>
      <p class="invited-person">
        <strong>{name}</strong> <span class="tag">{roleWords(role)}</span>
      </p>
      <p class="hint">{t('For one person, once, until {time}', { time })}</p>
      <div class="invite-link">
        <Copyable
          text={link}
          name={t('Copy the link for {name}', { name })}
          copied={() => announce({ text: t('Copied'), how: 'spoken' })}
        />
        <button
          type="button"
          class="button"
          aria-label={t('Withdraw the link for {name}', { name })}
          onClick={() => say({ type: 'revoke_invitation', invitation: id })}
        >
          {t('Withdraw')}
        </button>
      </div>
      <details open={isNew}>
        <summary aria-label={t('QR code for {name}', { name })}>{t('QR code')}</summary>
        <QrCode link={link} name={name} />
      </details>
    </li>
  );
}

function QrCode({ link, name }: { link: string; name: string }) {
  const picture = useSignal<string | undefined>(undefined);
  useEffect(() => {
    void import('uqr').then(({ renderSVG }) => {
      picture.value = `data:image/svg+xml,${encodeURIComponent(renderSVG(link, { border: 2 }))}`;
    });
  }, [link]);
  if (picture.value === undefined) return null;
  return <img class="qr-code" src={picture.value} width={200} height={200} alt={t('QR code for {name}', { name })} />;
}
