/** `callweave calls`: lists calls of all projects as a table or as lines of JSON. Reads the admin API page by page. */
import { defined, isObject } from '../base/core/json.ts';
import { callTableHeader, callTableRow } from '../service/api/call-table.ts';
import { withAdministrator } from './administrator.ts';
import { momentOf } from './moment-option.ts';
import type { ServiceOptions } from './service-client.ts';
import type { Terminal } from './terminal.ts';

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
