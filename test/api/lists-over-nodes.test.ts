/** Lists of resources on several nodes, requested at one of them. */
import { describe, expect, it } from 'vitest';
import { mergePages } from '../../src/service/api/cluster-list.ts';
import type { MergedList } from '../../src/service/api/merged-list.ts';
import { openNodes } from './cluster-rigs.ts';

const TOKEN = 'token-of-the-administrator';
const ADMIN = { as: false as const, headers: { authorization: `Bearer ${TOKEN}` } };
const config = `admin: { token: ${TOKEN} }\n`;

interface Listed {
  calls: { voice_id: string }[];
  next?: string;
}

describe('calls of several nodes', () => {
  /** Calls one after the other on the nodes in turn, the latest first. */
  async function withCalls(count: number) {
    const { clock, nodes } = await openNodes(['one', 'two', 'three'], { config });
    const made: string[] = [];
    for (let index = 0; index < count; index++) {
      made.unshift(await nodes[index % 3]!.rig.dial());
      await clock.advance(1000);
    }
    return { clock, nodes, made };
  }

  it('returns one list in pages at each node', async () => {
    const { nodes, made } = await withCalls(7);
    await nodes[0]!.rig.request('DELETE', `/voice/v1/call/${made[4]!}`);
    for (const limit of [1, 2, 3, 5, 7, 50]) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const { body, status } = await nodes[1]!.rig.request('GET', `/voice/v1/calls?limit=${limit}${cursor}`);
        expect(status).toBe(200);
        const { calls, next = '' } = body as unknown as Listed;
        expect(calls.length).toBeLessThanOrEqual(limit);
        seen.push(...calls.map(({ voice_id }) => voice_id));
        cursor = next && `&cursor=${next}`;
      } while (cursor !== '');
      expect(seen).toEqual(made);
    }
  });

  it('names the nodes that did not answer as missing', async () => {
    const { clock, nodes, made } = await withCalls(3);
    nodes[1]!.link.isCut = true;
    await clock.advance(4000);
    const { body, headers } = await nodes[0]!.rig.request('GET', '/voice/v1/call');
    expect(headers.get('x-callweave-missing-nodes')).toBe('two');
    expect((body as unknown as Listed).calls.map(({ voice_id }) => voice_id)).not.toContain(made[1]);
    nodes[1]!.link.isCut = false;
    await clock.advance(4000);
    const again = await nodes[0]!.rig.request('GET', '/voice/v1/call');
    expect(again.headers.get('x-callweave-missing-nodes')).toBeNull();
    for (const { rig } of nodes) rig.logLines.length = 0;
  });

  it('returns no further page for a node with a lease that does not answer', async () => {
    const { nodes } = await withCalls(2);
    await nodes[1]!.rig.close();
    const { body, headers } = await nodes[0]!.rig.request('GET', '/voice/v1/call');
    expect([headers.get('x-callweave-missing-nodes'), body['next']]).toEqual(['two', undefined]);
    expect(body['calls']).toHaveLength(1);
  });

  it('rejects an invalid limit or cursor', async () => {
    const { nodes } = await openNodes(['one', 'two']);
    const ask = async (query: string) => (await nodes[0]!.rig.request('GET', `/voice/v1/call?${query}`)).status;
    expect(await ask('limit=0')).toBe(400);
    expect(await ask('cursor=nonsense')).toBe(400);
    expect(await ask(`cursor=${Buffer.from('{"00000000":7}').toString('base64url')}`)).toBe(400);
  });

  it('merges rooms, admin changes and conferences in the same manner', async () => {
    const { clock, nodes } = await openNodes(['one', 'two'], { config });
    const [one, two] = nodes;
    await one!.rig.request('POST', '/video/v2/rooms', { name: 'board', owner_ref: 'x' });
    await clock.advance(1000);
    await two!.rig.request('POST', '/video/v2/rooms', { name: 'hall', owner_ref: 'x' });
    const rooms = (await two!.rig.request('GET', '/video/v2/rooms?limit=5')).body['rooms'] as { name: string }[];
    expect(rooms.map(({ name }) => name)).toEqual(['board', 'hall']);
    const user = { password: 'a long password of hers' };
    await one!.rig.request('PUT', '/admin/v1/users/ann', user, ADMIN);
    await clock.advance(1000);
    await two!.rig.request('PUT', '/admin/v1/users/bob', user, ADMIN);
    const { changes } = (await one!.rig.request('GET', '/admin/v1/trail?limit=2', undefined, ADMIN)).body;
    expect(changes).toHaveLength(2);
    for (const name of ['support', 'sales']) {
      const node = name === 'support' ? one! : two!;
      await node.rig.request('POST', '/voice/v1/conference', { from: '1000', to: '2000', conference: { name } });
    }
    const conferences = (await one!.rig.request('GET', '/voice/v1/conference')).body['conferences'];
    expect(conferences).toHaveLength(2);
    const cut = (await one!.rig.request('GET', '/voice/v1/conference?limit=1')).body;
    expect([(cut['conferences'] as object[]).length, cut['next']]).toEqual([1, undefined]);
  });
});

describe('pages of several nodes', () => {
  const merged: MergedList = { list: 'calls', by: 'at', order: 'falling', id: 'id' };
  const entry = (at: string, id: string, more = {}) => ({ at, id, ...more });
  const part = (name: string, all: ReturnType<typeof entry>[], mostAtOnce = 100) => ({
    ...{ name, cursor: '' },
    async page({ limit, cursor }: { limit: number; cursor: string }) {
      const from = Number(cursor || 0);
      const to = Math.min(from + limit, from + mostAtOnce);
      const entries = all.slice(from, to);
      return to < all.length ? { entries, next: String(to) } : { entries };
    },
  });
  const idsOf = (entries: object[]) => entries.map((each) => (each as { id: string }).id).join('');

  it('lists an entry known to several nodes once, with the best-informed data', async () => {
    const parts = new Map([
      ['a', part('one', [entry('3', 'x'), entry('1', 'y')])],
      ['b', part('two', [entry('3', 'x', { step: 'menu' }), entry('2', 'z')])],
    ]);
    const { entries, next } = await mergePages(merged, parts, 10);
    expect(idsOf(entries)).toBe('xzy');
    expect(entries[0]).toMatchObject({ step: 'menu' });
    expect(next.size).toBe(0);
  });

  it('ends a page where a node may have more entries that come first', async () => {
    const parts = new Map([
      ['a', part('one', [entry('9', 'p'), entry('8', 'q'), entry('7', 'r')], 1)],
      ['b', part('two', [entry('6', 's')])],
    ]);
    const { entries, next } = await mergePages(merged, parts, 10);
    expect(idsOf(entries)).toBe('p');
    expect(Object.fromEntries(next)).toEqual({ a: '1', b: '' });
  });
});
