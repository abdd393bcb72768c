/** Call records: the calls of a project, in pages, and the fields of each. */
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { type ApiRig, OTHER } from './rig.ts';
import { bridged, openRig } from './rigs.ts';

const LIST = '/voice/v1/call';

async function page(rig: ApiRig, query = ''): Promise<{ calls: JsonObject[]; next: string | undefined }> {
  const { status, body, text } = await rig.request('GET', LIST + query);
  expect(status, text).toBe(200);
  return { calls: body['calls'] as JsonObject[], next: body['next'] as string | undefined };
}
const refs = (calls: JsonObject[]): unknown[] => calls.map((call) => call['owner_ref']);

/** Three outbound calls, one second apart, and one inbound call. */
async function four(): Promise<ApiRig> {
  const rig = await openRig();
  for (const ref of ['a', 'b', 'c']) {
    await rig.dial({ owner_ref: ref, to: ref === 'b' ? '+2999' : '2000' });
    await rig.pass(1000);
  }
  rig.call('1000');
  await rig.pass(1000);
  return rig;
}

it('lists newest first, without calls of another project', async () => {
  const rig = await four();
  const { calls, next } = await page(rig);
  expect([refs(calls), next]).toEqual([[undefined, 'c', 'b', 'a'], undefined]);
  expect(calls[0]).toMatchObject({ direction: 'Inbound', state: 'incomingcall', from: '5551234', to: '1000' });
  expect((await rig.request('GET', LIST, undefined, { as: OTHER })).body['calls']).toEqual([]);
  expect((await page(rig, 's')).calls).toHaveLength(4);
});

it('continues at the cursor although new calls began meanwhile', async () => {
  const rig = await four();
  const first = await page(rig, '?limit=2');
  await rig.dial({ owner_ref: 'd' });
  const second = await page(rig, `?limit=2&cursor=${first.next}`);
  expect([refs(first.calls), refs(second.calls), second.next]).toEqual([[undefined, 'c'], ['b', 'a'], undefined]);
});

it.each([
  ['direction=inbound', [undefined]],
  ['direction=Outbound&limit=1', ['c']],
  ['state=connected', ['c', 'b', 'a']],
  ['to=2000', ['c', 'a']],
  ['to=%2B2999', ['b']],
  ['to=+2999', ['b']],
  ['from=5551234', [undefined]],
  ['flow=rest-control', ['c', 'b', 'a']],
  ['owner_ref=b', ['b']],
  ['owner_ref=nobody', []],
  ['started_from=2026-03-02T08:30:01Z&started_to=2026-03-02T08:30:02.900Z', ['c', 'b']],
])('filters calls by ?%s', async (query, expected) => {
  expect(refs((await page(await four(), `?${query}`)).calls)).toEqual(expected);
});

it('lists live calls with their current step and its start time', async () => {
  const rig = await four();
  rig.farEnds[0]!.hangUp();
  await rig.pass(1000);
  const { calls } = await page(rig, '?state=live');
  expect(refs(calls)).toEqual([undefined, 'c', 'b']);
  expect(calls[1]).toMatchObject({
    flow: 'rest-control',
    step: 'ready',
    step_flow: 'rest-control',
    step_since: '2026-03-02T08:30:03.000Z',
  });
  expect((await page(rig)).calls.find((call) => call['owner_ref'] === 'a')).not.toHaveProperty('step');
});

it('rejects unknown parameters and names the accepted ones', async () => {
  const rig = await openRig();
  for (const query of [
    'limit=0',
    'limit=501',
    'limit=x',
    'cursor=nonsense',
    'state=happy',
    'colour=red',
    'started_to=soon',
  ]) {
    const { status, body } = await rig.request('GET', `${LIST}?${query}`);
    expect([status, typeof body['hint']], query).toEqual([400, 'string']);
  }
});

it('shows times, parties, recordings and the cause of the end of a call', async () => {
  const { rig, call } = await bridged();
  await rig.request('PUT', `/voice/v1/call/${call}/recording`, { start: true, recording_name: 'talk' });
  await rig.pass(3000);
  rig.farEnd('2000').hangUp();
  await rig.pass(1000);
  const [record] = (await page(rig)).calls;
  const moment = expect.stringMatching(/^2026-03-02T08:30:\d\d\.\d{3}Z$/);
  expect(record).toMatchObject({
    voice_id: call,
    state: 'disconnected',
    started: moment,
    ringing: moment,
    connected: moment,
    ended: moment,
    call_duration: 6,
    disconnect_reason: 'Normal Clearing',
    disconnect_cause_code: 16,
    bridges: [{ to: '4000', started: moment, bridged: moment, ended: moment }],
    recordings: [
      {
        recording_name: 'talk',
        recording_duration: 3,
        recording_url: expect.stringMatching(/^http:.*\/voice\/v1\/recording\//),
      },
    ],
  });
});
