/** Warns if nodes run different flows for longer than a deployment takes. */
import type { Clock, Timer } from '../../base/core/clock.ts';
import type { Log } from '../../base/core/log.ts';
import type { Cluster, NodeInfo } from './cluster.ts';

const LOOK_EVERY_MS = 10_000;
const BROUGHT_WITHIN_MS = 60_000;

/** Returns a function that ends it. */
export function watchFlows({ cluster, clock, log }: { cluster: Cluster; clock: Clock; log: Log }): () => void {
  let sinceMs: number | undefined;
  let said = '';
  let timer: Timer;
  const look = (): void => {
    const others = withOtherFlows(cluster);
    const names = others.map(({ name }) => name);
    sinceMs = others.length === 0 ? undefined : (sinceMs ?? clock.monotonicMs());
    if (sinceMs === undefined) said = '';
    else if (clock.monotonicMs() - sinceMs >= BROUGHT_WITHIN_MS && said !== names.join()) {
      said = names.join();
      log.warn('cluster.flows_differ', { nodes: names });
    }
    timer = clock.after(LOOK_EVERY_MS, look);
  };
  timer = clock.after(LOOK_EVERY_MS, look);
  return () => timer.cancel();
}

/** Nodes whose live flows differ from those of this one. */
export function withOtherFlows(cluster: Pick<Cluster, 'me' | 'nodes'>): NodeInfo[] {
  const listed = cluster.nodes();
  const mine = listed.find(({ id }) => id === cluster.me)?.flows;
  return listed.filter(({ flows }) => mine !== undefined && flows !== undefined && flows !== mine);
}
