/** Dialog with a link into a video room, by role, and with its dial-in by phone. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { listText, t, tNodes } from '../../../shared/web/words/translate.ts';
import { Copyable } from '../shell/copyable.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { sentence } from '../shell/refusal.ts';
import { addressOf } from '../shell/router.ts';
import { type Access, accessOf, LINK_ROLES, type LinkRole, linkInto, type RoomName } from './room-links.ts';

export function RoomLink({ room, close }: { room: RoomName; close(): void }) {
  const role = useSignal<LinkRole>(LINK_ROLES[0]);
  const name = useSignal<string>(LINK_ROLES[0].name);
  const link = useSignal<string | undefined>(undefined);
  const access = useSignal<Access | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  const tellFailure = (error: Error): void => {
    failure.value = sentence(error.message);
  };
  useEffect(() => {
    accessOf(room).then((found) => {
      access.value = found;
    }, tellFailure);
  }, []);
  useEffect(() => {
    let isWanted = true;
    linkInto(room, role.value, name.value.trim() || role.value.name).then((made) => {
      if (!isWanted) return;
      link.value = made;
      failure.value = undefined;
    }, tellFailure);
    return () => {
      isWanted = false;
    };
  }, [role.value, name.value]);
  const choose = (chosen: LinkRole): void => {
    if (name.value === role.value.name) name.value = chosen.name;
    role.value = chosen;
  };
  const phone = access.value?.phone;
  return (
    <Dialog title={t('Link into the room')} close={close} class="room-link">
      <div class="room-link-body">
        <fieldset class="segments">
          <legend class="unseen">{t('Role')}</legend>
          {LINK_ROLES.filter((each) => each.role !== 'audience' || access.value?.hasAudience).map((each) => (
            <label key={each.role}>
              <input
                type="radio"
                name="link-role"
                checked={role.value.role === each.role}
                onChange={() => choose(each)}
              />
              <span>{each.title}</span>
            </label>
          ))}
        </fieldset>
        <label class="room-link-name">
          {t('Name in the room')}
          <input
            value={name.value}
            autocomplete="off"
            maxLength={200}
            onChange={({ currentTarget: { value } }) => {
              name.value = value;
            }}
          />
        </label>
        <p>{t('The holder of this link {may}. Each link is for one person.', { may: role.value.may })}</p>
        {failure.value !== undefined && <p role="alert">{failure.value}</p>}
        {link.value !== undefined && (
          <>
            <p class="room-link-text">
              <Copyable text={link.value} />
            </p>
            <a class="button primary" href={link.value} target="_blank" rel="noreferrer" data-first>
              {t('Open the room')}
            </a>
          </>
        )}
        {phone && <ByPhone {...phone} />}
      </div>
    </Dialog>
  );
}

const ByPhone = ({ pin, numbers }: NonNullable<Access['phone']>) => (
  <section class="room-phone" aria-label={t('By phone')}>
    <h3>{t('By phone')}</h3>
    {numbers.length === 0 ? (
      <p>
        {tNodes(
          'PIN {pin}. No dial-in number is configured: set {setting}, and a <a>number</a> whose flow asks for the PIN.',
          {
            pin: <b>{pin}</b>,
            setting: <code>video.dial_in</code>,
            a: (part) => <a href={addressOf('/settings/numbers')}>{part}</a>,
          },
        )}
      </p>
    ) : (
      <p>
        {tNodes('Call {numbers}, then enter the PIN {pin}.', {
          numbers: <b>{listText(numbers, 'disjunction')}</b>,
          pin: <b>{pin}</b>,
        })}
      </p>
    )}
  </section>
);
