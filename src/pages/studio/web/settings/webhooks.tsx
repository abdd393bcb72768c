/**
 * Settings page for webhooks with failures: unavailable receivers, dead-lettered events, and URLs that answered 410.
 */

import { pageLocale, t } from '../../../shared/web/words/translate.ts';
import { project, request } from '../api.ts';
import { useLoaded } from '../shell/load.ts';
import { tell, tellError } from '../shell/messages.tsx';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { SettingsFrame } from './frame.tsx';

interface Receiver {
  app_id: string;
  origin: string;
  state: 'up' | 'down' | 'recovering';
  waiting: number;
  in_flight: number;
  down_since?: string;
}

interface DeadLetter {
  event_id: string;
  voice_id: string;
  url: string;
  attempts: number;
  cause: string;
  given_up: string;
}

const TONES = { up: 'good', down: 'bad', recovering: 'warn' } as const;
const STATES = { up: t('up ## working'), down: t('down'), recovering: t('recovering') } as const;

export function WebhooksPage() {
  const base = `/admin/v1/projects/${encodeURIComponent(project.value ?? '')}`;
  const { loaded, reload } = useLoaded(async () => {
    const [{ receivers }, { events }, { urls }] = await Promise.all([
      request<{ receivers: Receiver[] }>('/admin/v1/receivers'),
      request<{ events: DeadLetter[] }>(`${base}/dead-letters`),
      request<{ urls: { url: string }[] }>(`${base}/disabled-urls`),
    ]);
    return { receivers, events, urls };
  }, [project.value]);
  const act = async (path: string, json: object, words: string): Promise<void> => {
    try {
      await request(base + path, { method: 'POST', json });
      tell(words);
      reload();
    } catch (error) {
      tellError(error);
    }
  };
  const resend = (path: string): Promise<void> => act(`/dead-letters${path}/resend`, {}, t('They are sent again'));
  return (
    <SettingsFrame
      slug="webhooks"
      title={t('Webhooks')}
      about={t('Events are retried for a day. What could not be delivered by then is kept here.')}
      actions={
        <button type="button" class="button" onClick={reload}>
          {t('Reload')}
        </button>
      }
    >
      {loaded.value.state === 'failed' && <p role="alert">{loaded.value.error.message}</p>}
      {loaded.value.state === 'there' && (
        <>
          <h2>{t('Receivers with events waiting')}</h2>
          {loaded.value.value.receivers.length === 0 && <p class="empty">{t('Queue empty.')}</p>}
          {loaded.value.value.receivers.map((receiver) => (
            <p key={`${receiver.app_id} ${receiver.origin}`}>
              <span class={`pill ${TONES[receiver.state]}`}>{STATES[receiver.state]}</span> <b>{receiver.origin}</b>{' '}
              {t('{waiting} waiting, {sending} being sent', {
                waiting: receiver.waiting,
                sending: receiver.in_flight,
              })}
              {receiver.down_since !== undefined &&
                ` · ${t('down since {time}', { time: new Date(receiver.down_since).toLocaleString(pageLocale()) })}`}
            </p>
          ))}
          <h2>{t('Failed events')}</h2>
          {loaded.value.value.events.length === 0 && <p class="empty">{t('None.')}</p>}
          {loaded.value.value.events.length > 0 && (
            <>
              <WriteAccessOnly>
                <p>
                  <button type="button" class="button" onClick={() => resend('')}>
                    {t('Send all again')}
                  </button>
                </p>
              </WriteAccessOnly>
              <table class="table">
                <thead>
                  <tr>
                    {[t('given up'), 'URL', t('cause'), t('attempts'), ''].map((title) => (
                      <th key={title} scope="col">
                        {title}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {loaded.value.value.events.map((event) => (
                    <tr key={event.event_id}>
                      <td>{new Date(event.given_up).toLocaleString(pageLocale())}</td>
                      <td>{event.url}</td>
                      <td>{event.cause}</td>
                      <td class="number">{event.attempts}</td>
                      <td>
                        <WriteAccessOnly>
                          <button
                            type="button"
                            class="link"
                            onClick={() => resend(`/${encodeURIComponent(event.event_id)}`)}
                          >
                            {t('Send again')}
                          </button>
                        </WriteAccessOnly>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </>
          )}
          {loaded.value.value.urls.length > 0 && (
            <>
              <h2>{t('URLs that answered 410')}</h2>
              {loaded.value.value.urls.map(({ url }) => (
                <p key={url}>
                  {url}{' '}
                  <WriteAccessOnly>
                    <button
                      type="button"
                      class="link"
                      onClick={() => act('/disabled-urls/enable', { url }, t('Events are sent there again'))}
                    >
                      {t('Send to it again')}
                    </button>
                  </WriteAccessOnly>
                </p>
              ))}
            </>
          )}
        </>
      )}
    </SettingsFrame>
  );
}
