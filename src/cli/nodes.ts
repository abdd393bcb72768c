/** `callweave nodes`: lists the nodes of a cluster and drains them. Uses the admin API of any node. */
import { onOneLine } from '../base/core/control-characters.ts';
import { isObject, type Json, type JsonObject } from '../base/core/json.ts';
import { withAdministrator } from './administrator.ts';
import type { ServiceOptions } from './service-client.ts';
import { countOf, type Terminal } from './terminal.ts';

export interface NodesOptions extends ServiceOptions {
  /** Node to drain. */
  drain?: string;
  /** Node that ends its drain. */
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
    const { not_ready: notReady } = answer;
    if (isObject(notReady)) {
      terminal.print(`the answering node refuses new calls: ${shown(notReady, 'means')} (${shown(notReady, 'since')})`);
      terminal.print(`  ${shown(notReady, 'remedy')}`);
    }
    const redundancy = redundancyOf(answer['store']);
    if (redundancy !== undefined) terminal.print(redundancy);
    const differing = listed.filter(({ flows }) => flows !== undefined && flows !== listed[0]?.['flows']);
    if (differing.length === 0) return;
    const names = differing.map((node) => shown(node, 'name')).join(', ');
    terminal.print(`flows differ from ${shown(listed[0]!, 'name')}: ${names}`);
  });

/** Warning about too few replicas of Redis; undefined if there are enough or nothing is known. */
function redundancyOf(store: Json | undefined): string | undefined {
  if (!isObject(store)) return undefined;
  const { reachable, replicas, replicas_wanted: wanted } = store;
  if (reachable !== true || Number(replicas) >= Number(wanted ?? 0)) return undefined;
  const left = Number(replicas) === 0 ? 'no node accepts calls' : 'no node accepts calls if one of its servers is lost';
  return `Redis has ${countOf(Number(replicas), 'replica')} of ${String(wanted)}: ${left}`;
}

const shown = (node: JsonObject, key: string): string => onOneLine(String(node[key] ?? ''));

function nodeLine(node: JsonObject): string {
  const load = `${Math.round(Number(node['load']) * 100)} %`;
  const left = node['lease_left_ms'];
  const lease = left === undefined ? [] : [`lease ${Number(left)} ms left`];
  const calls = `${countOf(Number(node['live_calls']), 'call')} (${load})`;
  const names = [shown(node, 'name'), shown(node, 'address')];
  return [...names, calls, ...costOf(node), ...lease, shown(node, 'version'), ...stateOf(node)].join('  ');
}

/** Empty until it was measured. */
function costOf({ process: cost }: JsonObject): string[] {
  if (!isObject(cost)) return [];
  const { cpu, memory_bytes: memory, event_loop_ms: delay } = cost;
  return [`CPU ${Math.round(Number(cpu) * 100)} %`, `${Math.round(Number(memory) / 2 ** 20)} MB`, `loop ${delay} ms`];
}

function stateOf({ draining, not_ready: notReady, live_calls: calls, live_sessions: sessions }: JsonObject): string[] {
  if (isObject(notReady)) return [`refuses calls: ${shown(notReady, 'why')}`];
  if (draining !== true) return [];
  return [Number(calls) + Number(sessions ?? 0) === 0 ? 'drained' : 'draining'];
}
