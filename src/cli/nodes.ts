/** `callweave nodes`: the nodes that are one service, and the drain of one of them. A client of the admin API of any node. */
import { onOneLine } from '../core/control-characters.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { withAdministrator } from './administrator.ts';
import type { ServiceOptions } from './service-client.ts';
import { countOf, type Terminal } from './terminal.ts';

export interface NodesOptions extends ServiceOptions {
  /** The node that takes no new calls from now on. */
  drain?: string;
  /** The one that takes them again. */
  undrain?: string;
}

const NODES = '/admin/v1/nodes';

export const nodes = (options: NodesOptions, terminal: Terminal): Promise<void> =>
  withAdministrator(options, terminal, async (service) => {
    const { drain, undrain } = options;
    const order = (method: 'POST' | 'DELETE', node: string) =>
      service.request(method, `${NODES}/${encodeURIComponent(node)}/drain`);
    if (drain !== undefined) await order('POST', drain);
    if (undrain !== undefined) await order('DELETE', undrain);
    const answer = await service.request('GET', NODES);
    if (options.json) return terminal.printJson(answer);
    const listed = Array.isArray(answer['nodes']) ? answer['nodes'].filter(isObject) : [];
    for (const node of listed) terminal.print(nodeLine(node));
  });

function nodeLine(node: JsonObject): string {
  const shown = (key: string): string => onOneLine(String(node[key] ?? ''));
  const load = `${Math.round(Number(node['load']) * 100)} %`;
  const lease = `lease ${Number(node['lease_age_ms'])} ms old`;
  const state = node['draining'] === true ? '  draining' : '';
  const calls = countOf(Number(node['live_calls']), 'call');
  return `${shown('name')}  ${shown('address')}  ${calls} (${load})  ${lease}  ${shown('version')}${state}`;
}
