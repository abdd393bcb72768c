/** Contract of every lease store. */
import { describe, expect, it } from 'vitest';
import type { NodeReport } from '../../../src/service/cluster/cluster.ts';
import type { LeaseStore } from '../../../src/service/cluster/lease-store.ts';

export interface LeaseRig {
  store: LeaseStore;
  /** Time passes, virtual or real. */
  pass(ms: number): Promise<void>;
}

export const reportOf = (id: string, more: Partial<NodeReport> = {}): NodeReport => ({
  ...{ id, name: `node-${id}`, version: '1.0.0', archive: `archive-${id}`, address: `http://127.0.0.1:80${id}` },
  ...{ startedMs: 1_700_000_000_000, liveCalls: 3, load: 0.03, isDraining: false },
  ...more,
});

export function leaseContract(name: string, withRig: (test: (rig: LeaseRig) => Promise<void>) => Promise<void>): void {
  describe(`leases in ${name}`, () => {
    it('keeps what a node says of itself, for as long as its lease lasts', () =>
      withRig(async ({ store }) => {
        await store.renew(reportOf('1'), 5000);
        await store.renew(reportOf('1', { liveCalls: 9, isDraining: true }), 5000);
        const [node, ...rest] = await store.list();
        expect(rest).toEqual([]);
        expect(node!.report).toEqual(reportOf('1', { liveCalls: 9, isDraining: true }));
        expect(node!.leftMs).toBeGreaterThan(3000);
        expect(node!.leftMs).toBeLessThanOrEqual(5000);
      }));

    it('ends a lease that is not renewed, and still knows the node', () =>
      withRig(async ({ store, pass }) => {
        await store.renew(reportOf('1'), 100);
        await store.renew(reportOf('2'), 60_000);
        await pass(150);
        const left = new Map((await store.list()).map(({ report, leftMs }) => [report.id, leftMs]));
        expect(left.get('1')).toBe(0);
        expect(left.get('2')).toBeGreaterThan(30_000);
      }));

    it('forgets a node that leaves', () =>
      withRig(async ({ store }) => {
        await store.renew(reportOf('1'), 5000);
        await store.remove('1');
        await store.remove('1');
        expect(await store.list()).toEqual([]);
      }));
  });
}
