/**
 * Settings page for the audit log: administrators, times, and the versions before and after each change. Uses
 * `change-words.ts`.
 */
import { useSignal } from '@preact/signals';
import { pageLocale, t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { useCommands } from '../shell/commands.ts';
import { useLoaded } from '../shell/load.ts';
import { Older } from '../shell/older.tsx';
import { addressOf, location } from '../shell/router.ts';
import { rowCommands } from '../shell/rows.ts';
import { type AuditEntryData, isWanted, readChange, type StudioLink, whoDid } from './change-words.ts';
import { SettingsFrame } from './frame.tsx';
import { FilterField, filterCommand } from './settings-list.tsx';

const GROUP = t('Changes');

export function ChangesPage() {
  const { cursor } = location.value.query;
  const { loaded } = useLoaded(
    () => request<{ changes: AuditEntryData[]; next?: string }>(`/admin/v1/trail${cursor ? `?cursor=${cursor}` : ''}`),
    [cursor],
  );
  const wanted = useSignal('');
  useCommands(() => [...rowCommands(t('change'), GROUP), filterCommand(GROUP)]);
  const { changes, next } = loaded.value.state === 'there' ? loaded.value.value : { changes: [], next: undefined };
  const shown = changes.filter((change) => isWanted(change, wanted.value));
  return (
    <SettingsFrame
      slug="changes"
      title={t('Changes')}
      about={t(
        'What administrators have changed, by the API and in this studio, the latest first. Only the names of what was changed are kept, never the values.',
      )}
    >
      {loaded.value.state === 'failed' && <p role="alert">{loaded.value.error.message}</p>}
      {changes.length > 0 && <FilterField of={wanted} what={t('changes')} />}
      {loaded.value.state === 'there' && shown.length === 0 && (
        <p class="empty">
          {changes.length === 0 ? t('Nothing was changed yet.') : t('No change like this on this page.')}
        </p>
      )}
      {shown.length > 0 && (
        <div class="wide">
          <table class="table changes">
            <thead>
              <tr>
                <th scope="col">{t('when')}</th>
                <th scope="col">{t('what')}</th>
                <th scope="col">{t('who')}</th>
                <th scope="col">
                  <span class="unseen">{t('versions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((change, index) => (
                <Row key={`${change.at} ${change.what} ${index}`} change={change} name={String(index)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Older path="/settings/changes" next={next} />
    </SettingsFrame>
  );
}

function Row({ change, name }: { change: AuditEntryData; name: string }) {
  const { did, what, link, versions } = readChange(change);
  return (
    <tr>
      <td>
        <time dateTime={change.at}>{new Date(change.at).toLocaleString(pageLocale())}</time>
      </td>
      <td>
        {did !== '' && `${did} `}
        {link === undefined ? (
          <span data-row={name} tabIndex={-1}>
            {what}
          </span>
        ) : (
          <a href={addressFor(link)} data-row={name}>
            {what}
          </a>
        )}
        {change.keys !== undefined && change.keys.length > 0 && <small>{change.keys.join(', ')}</small>}
      </td>
      <td>{whoDid(change)}</td>
      <td>
        {versions !== undefined && (
          <a href={addressFor(versions)} aria-label={t('What changed in {what}', { what })}>
            {t('What changed')}
          </a>
        )}
      </td>
    </tr>
  );
}

const addressFor = ({ path, query }: StudioLink): string => addressOf(path, query);
