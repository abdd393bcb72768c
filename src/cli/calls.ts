/** `callweave calls`: the calls of all projects as a table or as lines of JSON. A client of the admin API, page by page. */
import { callTableHeader, callTableRow } from '../api/call-table.ts';
import { systemClock } from '../core/clock.ts';
import { parseDuration } from '../core/duration.ts';
import { defined, isObject } from '../core/json.ts';
import { withAdministrator } from './administrator.ts';
import type { ServiceOptions } from './service-client.ts';
import { type Terminal, UsageError } from './terminal.ts';

export interface CallsOptions extends ServiceOptions {
  since?: string;
  until?: string;
  project?: string;
  number?: string;
  format: 'csv' | 'ndjson';
}

const PAGE = '500';

export const calls = (options: CallsOptions, terminal: Terminal): Promise<void> =>
  withAdministrator(options, terminal, async (service) => {
    const { since, until, project, number, format } = options;
    const asked = defined<Record<string, string>>({
      ...{ since: momentOf(since, '--since'), until: momentOf(until, '--until'), project, number },
    });
    if (format === 'csv') terminal.print(callTableHeader());
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query = new URLSearchParams({ ...asked, limit: PAGE, ...(cursor === '' ? {} : { cursor }) });
      const page = await service.request('GET', `/admin/v1/calls?${query}`);
      const found = Array.isArray(page['calls']) ? page['calls'].filter(isObject) : [];
      for (const call of found) terminal.print(format === 'csv' ? callTableRow(call) : JSON.stringify(call));
      cursor = typeof page['next'] === 'string' ? page['next'] : undefined;
    }
  });

/** A moment, or for how long until now. */
function momentOf(written: string | undefined, option: string): string | undefined {
  if (written === undefined || /^\d{4}-\d{2}-\d{2}/.test(written)) return written;
  const agoMs = parseDuration(written);
  if (agoMs === undefined)
    throw new UsageError(`${option} is not a moment`, 'such as 2026-03-02, 2026-03-02T09:30:00Z, or 24h for a day ago');
  return new Date(systemClock.now() - agoMs).toISOString();
}
