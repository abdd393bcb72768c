/** Do-not-call list of a project: listed, and applied to every spelling of a number. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { createBroadcast, rowsOf } from './broadcast-rig.ts';
import { OTHER } from './rig.ts';
import { openRig } from './rigs.ts';

const LIST = '/voice/v1/do-not-call';
const numbers = ({ body }: { body: JsonObject }) => (body['numbers'] as JsonObject[]).map(({ number }) => number);

describe('/do-not-call', () => {
  it('accepts one or many numbers, and returns how many are new', async () => {
    const rig = await openRig();
    const added = async (body: JsonObject) => (await rig.request('POST', LIST, body)).body['added'];
    expect(await added({ number: '+33 6 12 34 56 01' })).toBe(1);
    expect(await added({ numbers: ['33612345601', '+33612345602', { phone: '+33-612-345-602' }] })).toBe(1);
    expect(await added({ numbers: 'sip:Ada@phones.example, user:bob' })).toBe(2);
    const listed = await rig.request('GET', LIST);
    expect(numbers(listed)).toEqual(['33612345601', '33612345602', 'sip:ada@phones.example', 'user:bob']);
    expect((listed.body['numbers'] as JsonObject[])[0]).toEqual({ number: '33612345601', added: expect.any(String) });
  });

  it('returns the list in pages', async () => {
    const rig = await openRig();
    const all = Array.from({ length: 25 }, (_, index) => `33612345${String(index).padStart(3, '0')}`);
    await rig.request('POST', LIST, { numbers: all });
    const seen: unknown[] = [];
    for (let cursor = ''; ; ) {
      const page = await rig.request('GET', `${LIST}?limit=10${cursor}`);
      seen.push(...numbers(page));
      if (page.body['next'] === undefined) break;
      cursor = `&cursor=${String(page.body['next'])}`;
    }
    expect(seen).toEqual(all);
    for (const query of ['limit=0', 'limit=501', 'cursor=x', 'number=1']) {
      expect((await rig.request('GET', `${LIST}?${query}`)).status).toBe(400);
    }
  });

  it('matches a number in every spelling, and removes it once', async () => {
    const rig = await openRig();
    await rig.request('POST', LIST, { number: '+33 6 12' });
    for (const written of ['33612', '+33612', '%2B33612', '33-6.12', '33%20612']) {
      const { status, body } = await rig.request('GET', `${LIST}/${written}`);
      expect([status, body['state']]).toEqual([200, 'success']);
    }
    expect((await rig.request('DELETE', `${LIST}/+33612`)).status).toBe(200);
    const { status, body } = await rig.request('DELETE', `${LIST}/+33612`);
    expect([status, body['error_description']]).toEqual([404, 'the number is not on the list']);
    expect((await rig.request('GET', `${LIST}/33612`)).status).toBe(404);
  });

  it('keeps a list for each project', async () => {
    const rig = await openRig();
    await rig.request('POST', LIST, { number: '33612' });
    expect(numbers(await rig.request('GET', LIST, undefined, { as: OTHER }))).toEqual([]);
    for (const method of ['GET', 'DELETE']) {
      expect((await rig.request(method, `${LIST}/33612`, undefined, { as: OTHER })).status).toBe(404);
    }
    expect((await rig.request('GET', `${LIST}/33612`)).status).toBe(200);
  });

  it('names all invalid numbers, and adds none of the request', async () => {
    const rig = await openRig();
    const { status, body } = await rig.request('POST', LIST, { numbers: ['33612', 'nobody', '١٢٣', null] });
    expect([status, body]).toMatchObject([
      400,
      {
        state: 'failed',
        error_description: expect.any(String),
        numbers: [
          { index: 1, value: 'nobody' },
          { index: 2, value: '١٢٣' },
          { index: 3, value: 'null' },
        ],
      },
    ]);
    expect(numbers(await rig.request('GET', LIST))).toEqual([]);
    expect((await rig.request('POST', LIST, { numbers: [] })).status).toBe(400);
    expect((await rig.request('POST', LIST)).status).toBe(400);
    expect((await rig.request('GET', LIST, undefined, { as: false })).body).toMatchObject({ state: 'failed' });
  });

  it('applies to broadcasts, also to running ones', async () => {
    const rig = await openRig();
    await rig.request('POST', LIST, { number: '+33 612 345 602' });
    const { app_instance: id } = await createBroadcast(rig, {
      broadcast_numbers: ['+33612345601', '0033612345602', '+33612345603'],
      call_param: { max_concurrent: 1, number_of_retries: 0 },
    });
    await rig.pass(200);
    await rig.request('POST', LIST, { number: '33612345603' });
    rig.callee = { does: 'busy' };
    await rig.pass(60_000);
    expect((await rowsOf(rig, String(id))).map(({ result }) => (result as JsonObject)['reason'])).toEqual([
      expect.not.stringMatching('Do Not Call'),
      'Do Not Call',
      'Do Not Call',
    ]);
    expect(rig.farEnds.map(({ to }) => to)).toEqual(['+33612345601']);
  });
});
