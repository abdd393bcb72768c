/** Settings page for administrators: roles, invitations and tokens. A link and a token are shown only once. */
import { useSignal } from '@preact/signals';
import { pageLocale, t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { BY_LINK } from '../shell/link-sign-in.ts';
import { tell, tellError } from '../shell/messages.tsx';
import { isReader } from '../shell/session.ts';
import { AccessSecret, type NewAccess } from './access-secret.tsx';
import { type AdministratorData, accessOf, lastSeenWords, ROLES, roleTitle } from './administrator-words.ts';
import { put, SettingForm, TextField } from './setting-form.tsx';
import { ItemTable, type Names, SettingsListPage, useSettingsList } from './settings-list.tsx';

const PATH = '/admin/v1/administrators';
const pathOf = (name: string): string => `${PATH}/${encodeURIComponent(name)}`;

const KIND = {
  ...{ slug: 'administrators', title: t('Administrators'), one: t('administrator'), list: PATH, key: 'administrators' },
  icon: 'account' as const,
  about: t('People and programs that use the studio and the admin API. The list of changes shows their names.'),
};

const COLUMNS = [t('Name'), t('Role'), t('Access'), t('Last seen')];

const timeOf = (at: string): string =>
  new Date(at).toLocaleString(pageLocale(), { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

/** Method of the first sign-in of a new administrator. */
type Access = 'invitation' | 'token';

const newAccess = async (name: string, access: Access): Promise<NewAccess> =>
  request<NewAccess>(`${pathOf(name)}/${access}`, { method: 'POST' });

export function AdministratorsPage() {
  const of = useSettingsList<AdministratorData>(KIND, ({ name }) => ({ name }), ['name']);
  const shown = useSignal<NewAccess | undefined>(undefined);
  const show = (made: NewAccess): void => {
    shown.value = made;
  };
  return (
    <>
      <SettingsListPage
        of={of}
        form={(item) => <AdministratorForm key={of.formKey} item={item} known={of.items} done={of.done} show={show} />}
      >
        <div class="listed">
          <ItemTable
            of={of}
            columns={COLUMNS}
            cells={(item) => [
              item.you ? t('{name} (you)', { name: item.name }) : item.name,
              roleTitle(item.role),
              accessOf(item, timeOf),
              lastSeenWords(item.last_seen, Date.now()),
            ]}
          />
        </div>
      </SettingsListPage>
      {shown.value && <AccessSecret made={shown.value} close={() => (shown.value = undefined)} />}
    </>
  );
}

interface AdministratorFormProps {
  /** Undefined for a new administrator. */
  item: AdministratorData | undefined;
  known: readonly AdministratorData[];
  done(next: Names | undefined): void;
  show(made: NewAccess): void;
}

function AdministratorForm({ item, known, done, show }: AdministratorFormProps) {
  const name = useSignal(item?.name ?? '');
  const role = useSignal(item?.role ?? 'full');
  const access = useSignal<Access>('invitation');
  const isLocked = item?.configured === true;
  /** Shows the new link or token of an existing administrator, and loads the list again. */
  const give = (own: string, kind: Access): Promise<void> =>
    newAccess(own, kind)
      .then(show, tellError)
      .then(() => done({ name: own }));
  const renew = (): void => {
    const { name: own, you, has_token: hasToken } = item!;
    const question = you
      ? t('Create a new token for yourself? The old one ends at once.')
      : t('Create a new token for {name}? The old one ends at once.', { name: own });
    if (!hasToken || confirm(question)) void give(own, 'token');
  };
  const revoke = (): void => {
    const { name: own } = item!;
    if (!confirm(t('Revoke the access of {own}? The token, open pages and the invitation end at once.', { own })))
      return;
    request(`${pathOf(own)}/token`, { method: 'DELETE' }).then(() => {
      tell(t('{own} has no access now', { own }));
      done({ name: own });
    }, tellError);
  };
  return (
    <div class="administrator">
      <SettingForm
        one={t('administrator')}
        name={item?.name}
        isLocked={isLocked}
        save={async () => {
          const own = name.value.trim();
          const isTaken = known.some((other) => other.name.toLowerCase() === own.toLowerCase());
          if (!item && isTaken) throw new Error(t('there is an administrator {name} already', { name: own }));
          await put(t('administrator'), own, pathOf(own), { role: role.value });
          if (item) done({ name: own });
          else await give(own, access.value);
        }}
        remove={async () => {
          await request(pathOf(item!.name), { method: 'DELETE' });
          done(undefined);
        }}
        actions={
          <>
            <button type="button" class="button" onClick={() => void give(item!.name, 'invitation')}>
              {t('Invite')}
            </button>
            <button type="button" class="button" onClick={renew}>
              {t('New token')}
            </button>
            {(item?.has_token || item?.invited_until !== undefined) && (
              <button type="button" class="button" onClick={revoke}>
                {t('Revoke access')}
              </button>
            )}
          </>
        }
      >
        {!item && <TextField id="item-name" label={t('Name')} of={name} help={t('Such as ann, or ann@example.com.')} />}
        <Role of={role.value} choose={(chosen) => (role.value = chosen)} />
        {item ? <Facts item={item} /> : <FirstAccess of={access.value} choose={(chosen) => (access.value = chosen)} />}
      </SettingForm>
      {item?.you && isReader() && !isLocked && (
        <p class="own-token">
          <button type="button" class="button" onClick={renew}>
            {t('New token for yourself')}
          </button>
        </p>
      )}
    </div>
  );
}

const Role = ({ of, choose }: { of: string; choose(role: string): void }) => (
  <div class="field">
    <label for="administrator-role">{t('Role')}</label>
    <select
      id="administrator-role"
      value={of}
      aria-describedby="administrator-role-help"
      onChange={({ currentTarget: { value } }) => choose(value)}
    >
      {ROLES.map(({ value, title }) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
      {!ROLES.some(({ value }) => value === of) && <option value={of}>{of}</option>}
    </select>
    <small id="administrator-role-help">{ROLES.find(({ value }) => value === of)?.may}</small>
  </div>
);

const ACCESS = [
  ['invitation', t('Invitation'), t('A link that signs a person in once, within 24 hours')],
  ['token', t('Token'), t('For a program, such as a dashboard')],
] as const;

const FirstAccess = ({ of, choose }: { of: Access; choose(access: Access): void }) => (
  <fieldset class="first-access">
    <legend>{t('First sign-in')}</legend>
    {ACCESS.map(([value, title, help]) => (
      <label key={value}>
        <input type="radio" name="first-access" checked={of === value} onChange={() => choose(value)} />
        <span>
          {title} <small>{help}</small>
        </span>
      </label>
    ))}
  </fieldset>
);

const Facts = ({ item }: { item: AdministratorData }) => (
  <dl class="administrator-facts">
    <div>
      <dt>{t('Access')}</dt>
      <dd>{accessOf(item, timeOf)}</dd>
    </div>
    <div>
      <dt>{t('Last seen')}</dt>
      <dd>{item.last_seen === undefined ? t('never') : timeOf(item.last_seen)}</dd>
    </div>
    {item.created !== undefined && (
      <div>
        <dt>{t('Added')}</dt>
        <dd>
          {t('{time} by {who}', {
            time: timeOf(item.created),
            who: item.created_by === BY_LINK ? t('the setup link') : (item.created_by ?? ''),
          })}
        </dd>
      </div>
    )}
  </dl>
);
