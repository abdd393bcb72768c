/** People who work together in the studio: presence, saves, drafts and comments over the admin API. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { memoryStudioTable } from '../../src/service/calls/studio/studio-table.ts';
import { createMemoryStore } from '../memory-store.ts';
import { openNodes } from './cluster-rigs.ts';
import { EventStream } from './event-stream-client.ts';
import type { ApiResponse, ApiRig, ApiRigOptions } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

const tokenOf = (name: string): string => `the-token-of-the-person-${name}`;
const PEOPLE = `admin:
  tokens:
    - { name: ann, token: ${tokenOf('ann')}, role: full }
    - { name: bea, token: ${tokenOf('bea')}, role: full }
    - { name: eve, token: ${tokenOf('eve')}, role: read }
`;
const FLOWS = {
  menu: 'flow: menu\nstart: say\ndefaults: { exits: { error: $end } }\nsteps:\n  say: { play: Hello there, next: $end }\n',
};

type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<ApiResponse>;

const asAt =
  (rig: ApiRig, who: string): Ask =>
  (method, path, body, headers = {}) =>
    rig.request(method, `/admin/v1${path}`, body, {
      as: false,
      headers: { authorization: `Bearer ${tokenOf(who)}`, ...headers },
    });

const open = async (options: ApiRigOptions = {}) => {
  const rig = await openRig({ config: NUMBERS + PEOPLE, flows: FLOWS, ...options });
  return { rig, ann: asAt(rig, 'ann'), bea: asAt(rig, 'bea'), eve: asAt(rig, 'eve') };
};

const at = (tab: string, place: Record<string, string> = {}): string =>
  `/studio/people?${new URLSearchParams({ tab, ...place })}`;
const peopleSeenBy = async (ask: Ask) => (await ask('GET', '/studio/people')).body['people'];

const watch = async (rig: ApiRig, who: string): Promise<EventStream> => {
  const stream = await EventStream.open(rig, { path: '/admin/v1/studio/events', token: tokenOf(who) });
  onTestFinished(() => stream.break());
  return stream;
};

/** The flow as the list has it. */
const listed = async (ask: Ask): Promise<JsonObject> =>
  ((await ask('GET', '/flows')).body['flows'] as JsonObject[]).find(({ name }) => name === 'menu')!;

/** Saves a flow as the studio does. */
const save = async (ask: Ask, text: string, more: object = {}): Promise<string> => {
  const etag = (await ask('GET', '/flows/menu')).headers.get('etag')!;
  const saved = await ask('PUT', '/flows/menu', { text, ...more }, { 'if-match': etag });
  expect([saved.status, saved.text]).toEqual([200, expect.any(String)]);
  return saved.body['etag'] as string;
};

describe('presence', () => {
  it('lists each person with the place of the tab that moved last', async () => {
    const { ann, bea, eve } = await open();
    await ann('GET', at('1', { flow: 'menu', step: 'say' }));
    await ann('GET', at('2', { flow: 'menu', step: 'say', field: 'prompt.0' }));
    await ann('GET', at('1', { flow: 'menu', step: 'say' }));
    await eve('GET', at('3', { flow: 'menu' }));
    expect(await peopleSeenBy(bea)).toEqual([
      { who: 'ann', flow: 'menu', step: 'say', field: 'prompt.0' },
      { who: 'eve', flow: 'menu' },
    ]);
    await ann('GET', at('2'));
    expect(await peopleSeenBy(bea)).toContainEqual({ who: 'ann', flow: 'menu', step: 'say' });
  });

  it('forgets a tab without a heartbeat within 30 s, and keeps one with heartbeats', async () => {
    const { rig, ann, bea } = await open();
    await ann('GET', at('1', { flow: 'menu' }));
    for (let beat = 0; beat < 4; beat++) {
      await bea('GET', at('2', { flow: 'menu' }));
      await rig.clock.advance(15_000);
    }
    expect(await peopleSeenBy(bea)).toEqual([{ who: 'bea', flow: 'menu' }]);
    await rig.clock.advance(30_000);
    expect(await peopleSeenBy(bea)).toEqual([]);
  });

  it('escapes control characters, and rejects places of more than 200 characters', async () => {
    const { ann, bea } = await open();
    await ann('GET', at('1', { flow: 'menu', step: '<b>\u0007\u202e' }));
    expect(await peopleSeenBy(bea)).toEqual([{ who: 'ann', flow: 'menu', step: '<b>\\u0007\\u202e' }]);
    const refused = await ann('GET', at('1', { flow: 'm'.repeat(201) }));
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('at most 200 characters')]);
  });

  it('limits the tabs of a person to 20', async () => {
    const { rig, ann, bea } = await open();
    for (let tab = 0; tab < 22; tab++) {
      await ann('GET', at(`${tab}`, { flow: `flow-${tab}` }));
      await rig.clock.advance(100);
    }
    expect(await peopleSeenBy(bea)).toHaveLength(20);
    expect(await peopleSeenBy(bea)).toContainEqual({ who: 'ann', flow: 'flow-21' });
  });

  it('is streamed to open pages, and ends with the service', async () => {
    const { rig, ann } = await open();
    await ann('GET', at('1', { flow: 'menu' }));
    const stream = await watch(rig, 'eve');
    await stream.until(({ events }) => events.length === 1);
    expect(stream.events[0]).toMatchObject({ name: 'people', data: { people: [{ who: 'ann', flow: 'menu' }] } });
    await ann('GET', at('1', { flow: 'menu', step: 'say' }));
    await rig.clock.advance(200);
    await stream.until(({ events }) => events.length === 2);
    expect(stream.events[1]!.data['people']).toEqual([{ who: 'ann', flow: 'menu', step: 'say' }]);
    await rig.clock.advance(15_000);
    await stream.until(({ heartbeats }) => heartbeats > 0);
  });

  it('spans the nodes of a cluster, and outlives neither a tab nor its node', async () => {
    const studioTable = memoryStudioTable();
    const { nodes, clock } = await openNodes(['one', 'two'], { config: PEOPLE, studioTable });
    const [one, two] = nodes.map(({ rig }) => rig) as [ApiRig, ApiRig];
    const stream = await watch(two, 'bea');
    await asAt(one, 'ann')('GET', at('1', { flow: 'menu', step: 'say' }));
    await clock.advance(200);
    await stream.until(({ events }) => JSON.stringify(events.at(-1)?.data ?? '').includes('ann'));
    expect(await peopleSeenBy(asAt(two, 'bea'))).toEqual([{ who: 'ann', flow: 'menu', step: 'say' }]);
    await clock.advance(30_000);
    expect(await peopleSeenBy(asAt(two, 'bea'))).toEqual([]);
    expect(studioTable.entries()).toEqual([]);
  });
});

describe('save of another person', () => {
  it('is streamed with the name of its author, also to pages that open later', async () => {
    const { rig, ann } = await open();
    const early = await watch(rig, 'bea');
    const etag = await save(ann, `${FLOWS.menu}# seen\n`);
    await early.until(({ names }) => names.includes('saved'));
    const late = await watch(rig, 'bea');
    await late.until(({ names }) => names.includes('saved'));
    for (const { events } of [early, late]) {
      const { data } = events.find(({ name }) => name === 'saved')!;
      expect(data).toEqual({ flow: 'menu', who: 'ann', etag, version_number: 1, at: expect.any(String) });
    }
  });
});

describe('draft', () => {
  const draft = { text: 'flow: menu\n', base: 'abc' };

  it('is returned to its author only, and listed with the flows', async () => {
    const { rig, ann, bea } = await open();
    const { status, body } = await ann('PUT', '/flows/menu/draft', draft);
    expect([status, body]).toMatchObject([200, { flow: 'menu', base: 'abc', bytes: 11 }]);
    expect((await ann('GET', '/flows/menu/draft')).body).toMatchObject(draft);
    expect((await bea('GET', '/flows/menu/draft')).status).toBe(404);
    expect((await ann('GET', '/studio/drafts')).body['drafts']).toHaveLength(1);
    expect((await bea('GET', '/studio/drafts')).body['drafts']).toEqual([]);
    expect(await listed(ann)).toMatchObject({ draft: new Date(rig.clock.now()).toISOString() });
    expect(await listed(bea)).not.toHaveProperty('draft');
    await bea('DELETE', '/flows/menu/draft');
    expect((await ann('GET', '/flows/menu/draft')).status).toBe(200);
    await ann('DELETE', '/flows/menu/draft');
    expect((await ann('GET', '/flows/menu/draft')).status).toBe(404);
  });

  it('is refused for a reader, an unknown flow and more than 512 KiB', async () => {
    const { ann, eve } = await open();
    expect((await eve('PUT', '/flows/menu/draft', draft)).status).toBe(403);
    expect((await ann('PUT', '/flows/nothing/draft', draft)).status).toBe(404);
    const large = await ann('PUT', '/flows/menu/draft', { ...draft, text: 'é'.repeat(300_000) });
    expect([large.status, large.text]).toEqual([413, expect.stringContaining('at most 524288 bytes, got 600000')]);
  });

  it('ends with a save by its author, with the flow, and after 14 days', async () => {
    const { rig, ann, bea } = await open();
    await ann('PUT', '/flows/menu/draft', draft);
    await bea('PUT', '/flows/menu/draft', draft);
    await save(ann, `${FLOWS.menu}# more\n`);
    expect((await ann('GET', '/flows/menu/draft')).status).toBe(404);
    expect((await bea('GET', '/flows/menu/draft')).status).toBe(200);
    await rig.clock.advance(14 * 86_400_000);
    expect((await bea('GET', '/flows/menu/draft')).status).toBe(404);
    expect((await bea('GET', '/studio/drafts')).body['drafts']).toEqual([]);
    await bea('PUT', '/flows/menu/draft', draft);
    const etag = (await ann('GET', '/flows/menu')).headers.get('etag')!;
    expect((await ann('DELETE', '/flows/menu', undefined, { 'if-match': etag })).status).toBe(200);
    expect(rig.store.settings.list('draft')).toEqual([]);
    expect(rig.store.settings.list('draft_text')).toEqual([]);
  });

  it('ends with its author, so that a later person of the same name cannot read it', async () => {
    const { rig, ann } = await open();
    await ann('PUT', '/administrators/carl', { role: 'full' });
    const token = (await ann('POST', '/administrators/carl/token')).body['token'] as string;
    const headers = { authorization: `Bearer ${token}` };
    const put = await rig.request('PUT', '/admin/v1/flows/menu/draft', draft, { as: false, headers });
    expect(put.status).toBe(200);
    expect((await ann('DELETE', '/administrators/carl')).status).toBe(200);
    expect(rig.store.settings.list('draft')).toEqual([]);
  });

  it('is not recorded in the audit trail', async () => {
    const { ann } = await open();
    await ann('PUT', '/flows/menu/draft', draft);
    expect((await ann('GET', '/trail')).body['changes']).toEqual([]);
  });
});

describe('comment', () => {
  const add = async (ask: Ask, body: object): Promise<string> => {
    const added = await ask('POST', '/flows/menu/comments', body);
    expect(added.status).toBe(201);
    return added.body['comment_id'] as string;
  };
  const seenBy = async (ask: Ask) => (await ask('GET', '/flows/menu/comments')).body['comments'] as JsonObject[];

  it('is kept outside of the flow, counted in the list, and streamed', async () => {
    const { rig, ann, bea } = await open();
    const before = (await ann('GET', '/flows/menu')).body;
    const stream = await watch(rig, 'bea');
    await add(ann, { text: '@bea is this *right*? <b>', step: 'say', field: 'prompt.0' });
    await stream.until(({ names }) => names.includes('comments'));
    expect(await seenBy(bea)).toEqual([
      {
        ...{ comment_id: expect.any(String), who: 'ann', at: expect.any(String) },
        ...{ text: '@bea is this *right*? <b>', step: 'say', field: 'prompt.0' },
      },
    ]);
    expect((await ann('GET', '/flows/menu')).body).toEqual(before);
    expect(await listed(ann)).toMatchObject({ comments: 1 });
  });

  it('is marked as done and opened again by each person, and deleted by its author only', async () => {
    const { ann, bea } = await open();
    const path = `/flows/menu/comments/${await add(ann, { text: 'look' })}`;
    expect((await bea('PATCH', path, { done: true })).body).toMatchObject({ done: { who: 'bea' } });
    expect(await listed(ann)).not.toHaveProperty('comments');
    expect((await bea('PATCH', path, { done: false })).body).not.toHaveProperty('done');
    const refused = await bea('DELETE', path);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('only its author')]);
    expect((await ann('DELETE', path)).status).toBe(200);
    expect((await ann('DELETE', path)).status).toBe(404);
    expect(await seenBy(ann)).toEqual([]);
  });

  it('follows a renamed step, and keeps the name of a step that is gone', async () => {
    const { ann } = await open();
    await add(ann, { text: 'first', step: 'say' });
    const renamed = [{ from: 'say', to: 'greet' }];
    await save(ann, FLOWS.menu.replaceAll('say', 'greet'), { renamed });
    expect((await seenBy(ann))[0]).toMatchObject({ step: 'greet' });
    await save(ann, FLOWS.menu.replaceAll('say', 'other'));
    expect((await seenBy(ann))[0]).toMatchObject({ step: 'greet' });
  });

  it('is deleted with its flow', async () => {
    const { rig, ann } = await open();
    await add(ann, { text: 'first' });
    const etag = (await ann('GET', '/flows/menu')).headers.get('etag')!;
    await ann('DELETE', '/flows/menu', undefined, { 'if-match': etag });
    expect(rig.store.settings.list('comment')).toEqual([]);
  });

  it.each([
    ['no text', { text: ' ' }, 400],
    ['2,001 characters', { text: 'x'.repeat(2001) }, 400],
    ['a field without its step', { text: 'x', field: 'prompt' }, 400],
    ['an unknown key', { text: 'x', who: 'bea' }, 400],
  ])('is refused with %s', async (_, body, status) => {
    const { ann } = await open();
    expect((await ann('POST', '/flows/menu/comments', body)).status).toBe(status);
  });

  it('is refused for a reader, an unknown flow, and beyond 200 of a flow', async () => {
    const store = createMemoryStore();
    const { ann, eve } = await open({ store });
    expect((await eve('POST', '/flows/menu/comments', { text: 'x' })).status).toBe(403);
    expect((await ann('POST', '/flows/nothing/comments', { text: 'x' })).status).toBe(404);
    for (let at = 0; at < 200; at++) {
      const value = { id: `${at}`, flow: 'menu', text: 'x', who: 'ann', atMs: 0 };
      await store.settings.put({ kind: 'comment', key: `${at}`, value });
    }
    const full = await ann('POST', '/flows/menu/comments', { text: 'x' });
    expect([full.status, full.text]).toEqual([409, expect.stringContaining('at most 200 comments')]);
  });

  it('is recorded in the audit trail without its text', async () => {
    const { ann } = await open();
    await add(ann, { text: 'a secret thought' });
    const { text } = await ann('GET', '/trail');
    expect(text).toContain('POST /flows/menu/comments');
    expect(text).not.toContain('a secret thought');
  });
});
