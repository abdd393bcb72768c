/** `callweave trail`: prints the audit log of a running service. Uses its admin API. */
import { visibleText } from '../base/core/control-characters.ts';
import { isObject, type JsonObject } from '../base/core/json.ts';
import { withAdministrator } from './administrator.ts';
import type { ServiceOptions } from './service-client.ts';
import { type Terminal, UsageError } from './terminal.ts';

export interface TrailOptions extends ServiceOptions {
  limit: string;
}

const PAGE = 500;
const MAX_LINE = 4000;

export const trail = (options: TrailOptions, terminal: Terminal): Promise<void> =>
  withAdministrator(options, terminal, async (service) => {
    const wanted = Number(options.limit);
    if (!Number.isInteger(wanted) || wanted < 1)
      throw new UsageError(`--limit must be a number of entries, got ${options.limit}`);
    const changes: JsonObject[] = [];
    for (let cursor = ''; changes.length < wanted; ) {
      const limit = Math.min(PAGE, wanted - changes.length);
      const page = await service.request('GET', `/admin/v1/trail?limit=${limit}${cursor}`);
      changes.push(...(Array.isArray(page['changes']) ? page['changes'].filter(isObject) : []));
      if (page['next'] === undefined) break;
      cursor = `&cursor=${encodeURIComponent(String(page['next']))}`;
    }
    if (options.json) return terminal.printJson({ changes });
    if (changes.length === 0) terminal.print('no changes yet');
    for (const change of changes) terminal.print(visibleText(lineOf(change), MAX_LINE));
  });

function lineOf({ at, who, via, remote, what, keys }: JsonObject): string {
  const from = remote === undefined ? '' : ` from ${String(remote)}`;
  const changed = Array.isArray(keys) && keys.length > 0 ? `  (${keys.join(', ')})` : '';
  return `${String(at)}  ${String(who)}${via === 'studio' ? ' in the studio' : ''}${from}  ${String(what)}${changed}`;
}
