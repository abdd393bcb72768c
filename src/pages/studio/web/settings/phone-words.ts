/** State of the phones of a user in words. Pure; used by the list of users. */
import type { Json } from '../../../../base/core/json.ts';
import { pageLocale, t } from '../../../shared/web/words/translate.ts';

interface Registration {
  transport: string;
  host: string;
  port: number;
  since?: string;
}

const timeFormat = new Intl.DateTimeFormat(pageLocale(), { dateStyle: 'medium', timeStyle: 'short' });

/** `● 192.0.2.7:5060 (udp), since Nov 30, 2026, 3:09 PM`. Empty if the engine does not know. */
export function phoneWords(registrations: Json | undefined): string {
  if (!Array.isArray(registrations)) return '';
  if (registrations.length === 0) return t('○ not registered');
  return (registrations as unknown as Registration[])
    .map(({ transport, host, port, since }) => {
      const address = `● ${host.includes(':') ? `[${host}]` : host}:${port} (${transport})`;
      return since === undefined
        ? address
        : t('{address}, since {time}', { address, time: timeFormat.format(new Date(since)) });
    })
    .join('; ');
}
