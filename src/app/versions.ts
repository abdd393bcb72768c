/** Stage 3b of the composition: flow versions, canaries and the audit log. */
import { resolve } from 'node:path';
import { createChanges } from '../service/calls/audit-log/changes.ts';
import { createCanaries } from '../service/calls/canaries/canaries.ts';
import type { Base } from './base.ts';
import type { Provisioning } from './provisioning.ts';
import type { Storage } from './storage.ts';

export type Versions = ReturnType<typeof openVersions>;

export function openVersions(
  { config, clock, log, state }: Base,
  { store, writeBuffer, callStore }: Storage,
  { flows, settings }: Provisioning,
) {
  const { whenWritable } = writeBuffer;
  const nowMs = (): number => clock.now();
  const keepInForce = (): void => {
    const inForce = flows.names().flatMap((name) => {
      const text = flows.textOf(name);
      return text === undefined ? [] : [{ name, hash: flows.get(name)!.hash, text, firstMs: nowMs() }];
    });
    whenWritable(() => store.flowVersions.keep(inForce));
  };
  // Before any other version is stored or deleted.
  keepInForce();
  const changes = createChanges({ store: store.changes, nowMs, whenWritable });
  const canaries = createCanaries({
    ...{ flows, changes, clock, log, whenWritable },
    directory: resolve(config.flowsDirectory),
    versions: store.flowVersions,
    store: store.canaries,
    numbers: () => settings.numbers.values(),
  });
  callStore.observe(canaries.observe);
  state.closers.push(() => canaries.close());
  return {
    flowVersions: store.flowVersions,
    changes,
    canaries,
    /** Live version of each flow: its hash by name. */
    hashes: (): ReadonlyMap<string, string> => new Map(flows.names().map((name) => [name, flows.get(name)!.hash])),
    /**
     * To be called after the live versions changed. `before`: the previous hashes. Returns the names of the changed
     * flows.
     */
    flowsChanged(before: ReadonlyMap<string, string>): string[] {
      keepInForce();
      const names = [...new Set([...before.keys(), ...flows.names()])].sort();
      const changed = names.filter((name) => before.get(name) !== flows.get(name)?.hash);
      for (const name of changed) {
        if (!flows.get(name)) whenWritable(() => store.flowVersions.end(name, nowMs()));
        canaries.afterChange(name);
      }
      return changed;
    },
  };
}
