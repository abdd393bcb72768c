/** Conferences by REST: the four documented routes, and those that complete them. */
import { describe, expect, it } from 'vitest';
import { type ApiRig, OTHER } from './rig.ts';
import { openRig } from './rigs.ts';

const ROUTE = '/voice/v1/conference';

/** A conference with the party 2000. */
async function met(more: object = {}): Promise<{ rig: ApiRig; conference: string; call: string }> {
  const rig = await openRig();
  const { status, body, text } = await rig.request('POST', ROUTE, {
    name: 'daily',
    from: '1000',
    to: '2000',
    event_url: rig.webhookUrl,
    ...more,
  });
  if (status !== 200) throw new Error(text);
  await rig.pass(2000);
  return { rig, conference: String(body['conference_id']), call: String(body['voice_id']) };
}

const hears = (rig: ApiRig, to: string): string[] => rig.farEnd(to).company.map((farEnd) => farEnd.to);

describe('POST /voice/v1/conference', () => {
  it('POST /conference: dials out, and the party that answers is its first member', async () => {
    const rig = await openRig();
    const { status, body } = await rig.request('POST', ROUTE, {
      name: 'daily',
      from: '1000',
      to: '2000',
      event_url: rig.webhookUrl,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      conference_id: expect.any(String),
      voice_id: expect.any(String),
      name: 'daily',
      state: 'initiated',
      status: 'initiated',
      from: '1000',
      to: '2000',
    });
    expect((await rig.request('GET', `${ROUTE}/${body['conference_id']}`)).body).toMatchObject({
      state: 'initiated',
      participants: [],
    });
    await rig.pass(2000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'conference_joined']);
    expect(rig.events().at(-1)).toMatchObject({
      voice_id: body['voice_id'],
      conference_id: body['conference_id'],
      name: 'daily',
      members: 1,
    });
  });

  it('POST /conference: ends when its only call is not answered', async () => {
    const rig = await openRig({ callee: { does: 'busy' } });
    const { body } = await rig.request('POST', ROUTE, { from: '1000', to: '2000' });
    await rig.pass(1000);
    expect((await rig.request('GET', `${ROUTE}/${body['conference_id']}`)).body['state']).toBe('ended');
  });

  it.each<[string, object, number, number]>([
    ['no from', { to: '2000' }, 400, 400],
    ['no to', { from: '1000' }, 400, 400],
    ['a from of nobody', { from: '5555', to: '2000' }, 400, 6118],
    ['a to that is no number', { from: '1000', to: 'nobody' }, 400, 400],
    ['an event_url inside', { from: '1000', to: '2000', event_url: 'http://10.0.0.1/' }, 400, 400],
    ['too many members', { from: '1000', to: '2000', max_members: 0 }, 400, 400],
  ])('POST /conference: %s is refused', async (_what, body, status, result) => {
    const rig = await openRig();
    const answer = await rig.request('POST', ROUTE, body);
    expect([answer.status, answer.body['result']]).toEqual([status, result]);
    await rig.pass(100);
    expect(rig.farEnds).toEqual([]);
  });
});

describe('PUT /voice/v1/conference/{conference_id}', () => {
  it('PUT /conference/{conference_id}: dials out, and the party that answers hears the others', async () => {
    const { rig, conference } = await met();
    const { status, body } = await rig.request('PUT', `${ROUTE}/${conference}`, { from: '1000', transfer_to: '2001' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ conference_id: conference, name: 'daily', state: 'initiated', to: '2001' });
    await rig.pass(2000);
    expect([hears(rig, '2000'), hears(rig, '2001')]).toEqual([['2001'], ['2000']]);
    // Events of the new member go to the webhook of the conference.
    expect(rig.events(String(body['voice_id'])).at(-1)).toMatchObject({ state: 'conference_joined', members: 2 });
    const { body: shown } = await rig.request('GET', `${ROUTE}/${conference}`);
    expect(shown).toMatchObject({
      conference_id: conference,
      name: 'daily',
      state: 'active',
      recording: false,
      participants: [
        { from: '1000', to: '2000', state: 'joined', muted: false },
        { voice_id: body['voice_id'], from: '1000', to: '2001', state: 'joined', muted: false },
      ],
    });
  });

  it('PUT /conference/{conference_id}: reports each member that leaves, and ends with the last one', async () => {
    const { rig, conference, call } = await met();
    await rig.request('PUT', `${ROUTE}/${conference}`, { from: '1000', transfer_to: '2001' });
    await rig.pass(2000);
    rig.farEnd('2001').hangUp();
    await rig.pass(500);
    expect(hears(rig, '2000')).toEqual([]);
    expect((await rig.request('GET', `${ROUTE}/${conference}`)).body['state']).toBe('active');
    await rig.request('DELETE', `/voice/v1/call/${call}`);
    await rig.pass(500);
    expect((await rig.request('GET', `${ROUTE}/${conference}`)).body).toMatchObject({
      state: 'ended',
      ended: expect.any(String),
      participants: [{ state: 'left' }, { state: 'left' }],
    });
    const late = await rig.request('PUT', `${ROUTE}/${conference}`, { from: '1000', transfer_to: '2001' });
    expect([late.status, late.body['result']]).toEqual([409, 409]);
  });

  it('PUT /conference/{conference_id}: returns 404 for an unknown conference', async () => {
    const rig = await openRig();
    const { status, body } = await rig.request('PUT', `${ROUTE}/nobody`, { from: '1000', transfer_to: '2001' });
    expect([status, body['result']]).toEqual([404, 404]);
  });
});

describe('POST /voice/v1/conference/{voice_id}', () => {
  it('POST /conference/{voice_id}: accepts the call as the first member; another call may join', async () => {
    const rig = await openRig();
    rig.call('1000');
    await rig.pass(100);
    const first = String(rig.received[0]?.body['voice_id']);
    const { status, body } = await rig.request('POST', `${ROUTE}/${first}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ voice_id: first, conference_id: expect.any(String), state: 'initiated' });
    await rig.pass(500);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', 'conference_joined']);

    rig.call('1000', '5559999');
    await rig.pass(100);
    const second = String(rig.received.at(-1)?.body['voice_id']);
    const joined = await rig.request('PUT', `${ROUTE}/${second}/${body['conference_id']}`);
    expect(joined.status).toBe(200);
    expect(joined.body).toMatchObject({ voice_id: second, conference_id: body['conference_id'] });
    await rig.pass(500);
    expect(rig.farEnds.map((farEnd) => farEnd.company.map(({ from }) => from))).toEqual([['5559999'], ['5551234']]);
  });

  it('POST /conference/{voice_id}: moves an answered call from its current action', async () => {
    const rig = await openRig();
    const call = await rig.dial();
    await rig.pass(2000);
    expect((await rig.request('POST', `${ROUTE}/${call}`, { name: 'later' })).body).toMatchObject({ name: 'later' });
    await rig.pass(100);
    expect(rig.eventNames().at(-1)).toBe('conference_joined');
  });

  it('POST /conference/{voice_id}: returns 404 for an unknown call, 409 for one that has ended', async () => {
    const rig = await openRig();
    expect((await rig.request('POST', `${ROUTE}/nobody`)).status).toBe(404);
    const call = await rig.dial();
    await rig.pass(2000);
    rig.farEnd('2000').hangUp();
    await rig.pass(1000);
    expect((await rig.request('POST', `${ROUTE}/${call}`)).status).toBe(409);
  });
});

describe('PUT /voice/v1/conference/{conference_id}/participant/{voice_id}', () => {
  it('PUT /participant: mutes and unmutes the member', async () => {
    const { rig, conference, call } = await met();
    await rig.request('PUT', `${ROUTE}/${conference}`, { from: '1000', transfer_to: '2001' });
    await rig.pass(2000);
    rig.received.length = 0;
    const muted = await rig.request('PUT', `${ROUTE}/${conference}/participant/${call}`, { muted: true });
    expect(muted.status).toBe(200);
    expect(muted.body).toMatchObject({ participants: [{ voice_id: call, muted: true }, { muted: false }] });
    await rig.pass(100);
    expect([hears(rig, '2000'), hears(rig, '2001')]).toEqual([['2001'], []]);
    await rig.request('PUT', `${ROUTE}/${conference}/participant/${call}`, { muted: 'false' });
    await rig.pass(100);
    expect(hears(rig, '2001')).toEqual(['2000']);
    expect(rig.events()).toMatchObject([
      { state: 'conference_muted', muted: true },
      { state: 'conference_muted', muted: false },
    ]);
  });

  it('PUT /participant: holds with music, and resumes', async () => {
    const { rig, conference, call } = await met();
    const { body } = await rig.request('PUT', `${ROUTE}/${conference}/participant/${call}`, { hold: true });
    expect(body).toMatchObject({ participants: [{ state: 'held', hold: true }] });
    await rig.pass(100);
    expect(rig.farEnd('2000').isHeld).toBe(true);
    await rig.request('PUT', `${ROUTE}/${conference}/participant/${call}`, { hold: false });
    await rig.pass(100);
    expect(rig.farEnd('2000').isHeld).toBe(false);
  });

  it.each<[string, object, number]>([
    ['neither muted nor hold', {}, 400],
    ['a muted that is none', { muted: 'perhaps' }, 400],
  ])('PUT /participant: %s is %i', async (_what, body, _status) => {
    const { rig, conference, call } = await met();
    expect((await rig.request('PUT', `${ROUTE}/${conference}/participant/${call}`, body)).status).toBe(400);
  });

  it('PUT /participant: returns 404 for a call outside the conference', async () => {
    const { rig, conference } = await met();
    expect((await rig.request('PUT', `${ROUTE}/${conference}/participant/nobody`, { muted: true })).status).toBe(404);
  });
});

describe('a call that REST moved to a conference, when the conference ends', () => {
  const ends = async (more: object) => {
    const { rig, conference } = await met({ end_on_exit: true });
    await rig.request('PUT', `${ROUTE}/${conference}`, { from: '1000', transfer_to: '2001', ...more });
    await rig.pass(2000);
    rig.farEnd('2000').hangUp();
    await rig.pass(1000);
    return rig.farEnd('2001').state;
  };

  it('ends with it, also if its moderator left', async () => {
    expect(await ends({})).toBe('ended');
  });

  it('stays available for further requests with after: stay', async () => {
    expect(await ends({ after: 'stay' })).toBe('connected');
  });

  it('ends when its party presses the leave key', async () => {
    const { rig, conference } = await met();
    await rig.request('PUT', `${ROUTE}/${conference}`, { from: '1000', transfer_to: '2001', leave_key: '#' });
    await rig.pass(2000);
    rig.farEnd('2001').press('#');
    await rig.pass(1000);
    expect(rig.farEnd('2001').state).toBe('ended');
  });

  it('is not hung up by DELETE /conference with after: stay', async () => {
    const { rig, conference } = await met({ after: 'stay' });
    await rig.request('DELETE', `${ROUTE}/${conference}`);
    await rig.pass(1000);
    expect(rig.farEnd('2000').state).toBe('connected');
  });
});

describe('DELETE /voice/v1/conference/{conference_id}', () => {
  it('DELETE /conference: ends the conference, and hangs up the calls made for it', async () => {
    const { rig, conference } = await met();
    await rig.request('PUT', `${ROUTE}/${conference}`, { from: '1000', transfer_to: '2001' });
    await rig.pass(2000);
    rig.received.length = 0;
    const { status, body } = await rig.request('DELETE', `${ROUTE}/${conference}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ conference_id: conference, state: 'ended', status: 'success' });
    await rig.pass(1000);
    expect(rig.farEnds.map(({ state }) => state)).toEqual(['ended', 'ended']);
    expect(rig.eventNames().filter((word) => word === 'disconnected')).toHaveLength(2);
    expect((await rig.request('DELETE', `${ROUTE}/${conference}`)).status).toBe(409);
  });

  it('DELETE /conference: returns a call that its flow moved there to its flow', async () => {
    const flow = `
flow: meets
start: meet
steps:
  meet: { conference: daily, exits: { left: bye, ended: tell, full: bye, error: bye } }
  tell: { notify: { event: over }, next: bye }
  bye: { hangup: normal }
`;
    const rig = await openRig({ flows: { meets: flow } });
    await rig.dial({ flow: 'meets' });
    await rig.pass(2000);
    const conference = String(rig.events().at(-1)?.['conference_id']);
    await rig.request('DELETE', `${ROUTE}/${conference}`);
    await rig.pass(500);
    expect(rig.eventNames()).toEqual([
      'ringing',
      'connected',
      'conference_joined',
      'conference_ended',
      'conference_left',
      'over',
      'disconnected',
    ]);
  });
});

describe('GET /voice/v1/conference', () => {
  it('GET /conference: lists active conferences, newest first, with their members', async () => {
    const { rig, conference, call } = await met();
    const { body: second } = await rig.request('POST', ROUTE, { from: '1000', to: '2005' });
    await rig.request('PUT', `${ROUTE}/${conference}`, { from: '1000', transfer_to: '2001' });
    await rig.pass(2000);
    await rig.request('PUT', `${ROUTE}/${conference}/participant/${call}`, { muted: true });
    rig.farEnd('2001').hangUp();
    await rig.pass(500);
    const { status, body } = await rig.request('GET', ROUTE);
    expect(status).toBe(200);
    expect(body['conferences']).toMatchObject([
      { conference_id: second['conference_id'], participants: [{ to: '2005' }] },
      {
        ...{ conference_id: conference, name: 'daily', state: 'active', recording: false },
        participants: [{ voice_id: call, to: '2000', state: 'joined', muted: true }],
      },
    ]);
    expect((await rig.request('GET', `${ROUTE}?limit=1`)).body['conferences']).toHaveLength(1);
    expect((await rig.request('GET', ROUTE, undefined, { as: OTHER })).body['conferences']).toEqual([]);
    await rig.request('DELETE', `${ROUTE}/${conference}`);
    await rig.request('DELETE', `${ROUTE}/${second['conference_id']}`);
    expect((await rig.request('GET', ROUTE)).body['conferences']).toEqual([]);
  });
});

describe('GET /voice/v1/queue', () => {
  const flow = {
    flow: 'desk',
    defaults: { exits: { error: 'bye' } },
    start: 'wait',
    steps: {
      wait: { queue: { name: 'support', agents: ['4000'] }, exits: { dequeued: 'bye', full: 'bye' } },
      bye: { hangup: 'normal' },
    },
  };

  it('GET /queue: lists waiting callers with their time, and the pairs in conversation', async () => {
    const rig = await openRig();
    const calls: string[] = [];
    for (const to of ['2000', '2001']) calls.push(await rig.dial({ to, flow }));
    await rig.pass(3000);
    const { status, body } = await rig.request('GET', '/voice/v1/queue');
    expect(status).toBe(200);
    expect(body['queues']).toMatchObject([
      {
        ...{ name: 'support', waiting: 1 },
        callers: [
          { voice_id: calls[0], to: '2000', state: 'talking', agent: '4000', since: expect.any(String) },
          { voice_id: calls[1], to: '2001', state: 'waiting' },
        ],
      },
    ]);
    expect((await rig.request('GET', '/voice/v1/queue', undefined, { as: OTHER })).body['queues']).toEqual([]);
    for (const call of calls) await rig.request('DELETE', `/voice/v1/call/${call}`);
    await rig.pass(500);
    expect((await rig.request('GET', '/voice/v1/queue')).body['queues']).toEqual([]);
  });
});

describe('a conference of another project', () => {
  it.each([
    ['GET', ''],
    ['DELETE', ''],
    ['PUT', ''],
    ['PUT', '/participant/CALL'],
  ])('%s /conference/{conference_id}%s: returns 404, as for an unknown one', async (method, path) => {
    const { rig, conference, call } = await met();
    const body = method === 'PUT' ? { from: '3000', transfer_to: '2001', muted: true } : undefined;
    const tail = path.replace('CALL', call);
    const theirs = await rig.request(method, `${ROUTE}/${conference}${tail}`, body, { as: OTHER });
    const nobodys = await rig.request(method, `${ROUTE}/nobody${tail}`, body, { as: OTHER });
    expect(theirs.status).toBe(404);
    expect(theirs.body).toEqual({ ...nobodys.body, timestamp: theirs.body['timestamp'] });
  });

  it('PUT /conference/{voice_id}/{conference_id}: returns 404 if either is of another project', async () => {
    const { rig, conference, call } = await met();
    expect((await rig.request('PUT', `${ROUTE}/${call}/${conference}`, {}, { as: OTHER })).status).toBe(404);
    expect((await rig.request('POST', `${ROUTE}/${call}`, {}, { as: OTHER })).status).toBe(404);
  });
});
