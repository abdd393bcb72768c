/** Guessing credentials must not succeed, reveal anything, or keep the processors busy. */
import { describe, expect, it } from 'vitest';
import { countingIds } from '../../src/base/core/ids.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { createBasicAuth } from '../../src/service/api/basic-auth.ts';
import { isCostly } from '../../src/service/calls/projects/project-key.ts';
import { openProjects } from '../../src/service/calls/projects/projects.ts';
import { createMemoryStore } from '../memory-store.ts';

const KEY = 'a key of the configuration';
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const parts = () => ({ store: createMemoryStore().projects, clock: new VirtualClock(), ids: countingIds() });

describe('a project of the configuration', () => {
  it('is authenticated by its key alone', async () => {
    const auth = createBasicAuth(await openProjects([{ projectId: 'shop', name: 'shop', key: KEY }], parts()));
    expect(await auth.check(basic(`shop:${KEY}`))).toMatchObject({ projectId: 'shop' });
    for (const wrong of [`shop:${KEY}x`, 'shop:', `other:${KEY}`, `shop:${KEY}\0`]) {
      await expect(auth.check(basic(wrong))).rejects.toMatchObject({ code: 'unauthorized' });
    }
  });

  it('costs next to nothing for wrong keys, whether it exists or not', async () => {
    const projects = await openProjects([{ projectId: 'shop', name: 'shop', key: KEY }], parts());
    const asked: string[] = [];
    const auth = createBasicAuth({
      find: (id) => projects.find(id),
      isKeyHash: (project, hash) => projects.isKeyHash(project, hash),
      keyHashesOf: (id) => {
        const hashes = projects.keyHashesOf(id);
        asked.push(...hashes);
        return hashes;
      },
    });
    for (let index = 0; index < 500; index++) {
      await auth.check(basic(`${index % 2 ? 'shop' : 'nobody'}:${index}`)).catch(() => {});
    }
    expect(asked.length).toBeGreaterThanOrEqual(500);
    expect(asked.length).toBeLessThanOrEqual(1000);
    expect(asked.filter(isCostly)).toEqual([]);
  });

  it('keeps no key in readable form', async () => {
    const { first } = await openProjects([{ projectId: 'shop', name: 'shop', key: KEY }], parts());
    expect(JSON.stringify(first)).not.toContain(KEY);
  });
});

describe('a project of the store', () => {
  it('checks one guess after another, and as slowly if it does not exist', async () => {
    const projects = await openProjects([], parts());
    const auth = createBasicAuth(projects);
    expect(projects.first.keyHash).toMatch(/^scrypt\$/);
    expect(projects.keyHashesOf('nobody').map((hash) => hash.split('$').slice(0, 4))).toEqual([
      projects.first.keyHash.split('$').slice(0, 4),
    ]);
    const burst = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) => auth.check(basic(`${projects.first.projectId}:${index}`))),
    );
    const codes = burst.map((one) => (one.status === 'rejected' ? (one.reason as { code: string }).code : 'in'));
    expect(codes.filter((code) => code === 'too_many_requests')).toHaveLength(9);
    expect(codes.filter((code) => code === 'unauthorized')).toHaveLength(51);
  });

  it('is authenticated beside a source that guesses at the maximum rate', async () => {
    const projects = await openProjects([], parts());
    const { first } = projects;
    const auth = createBasicAuth(projects);
    const order: string[] = [];
    const guesses = Array.from({ length: 60 }, (_, index) =>
      auth.check(basic(`${first.projectId}:${index}`), '192.0.2.1').catch(() => order.push('guess')),
    );
    const honest = auth.check(basic(`${first.projectId}:other`), '203.0.113.1').catch((error: { code: string }) => {
      order.push('honest');
      return error.code;
    });
    expect(await honest).toBe('unauthorized');
    // Requests refused at once, the running check, and one in the queue.
    expect(order.indexOf('honest')).toBeLessThanOrEqual(11);
    await Promise.all(guesses);
  });
});
