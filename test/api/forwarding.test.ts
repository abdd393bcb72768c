/** Requests that arrive at a node that does not own their call. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { createForwardSigner, NO_BODY } from '../../src/service/cluster/forward-signature.ts';
import { CLUSTER_KEY, FORWARD_HEADER, openNodes } from './cluster-rigs.ts';
import { OTHER } from './rig.ts';
import { openRig } from './rigs.ts';

const TOKEN = 'token-of-the-administrator';
const ADMIN = { as: false as const, headers: { authorization: `Bearer ${TOKEN}` } };
const withAdmin = { config: `admin: { token: ${TOKEN} }\n` };

/** A call that node `one` carries, and both nodes. */
async function callOnOne(options = {}) {
  const { clock, nodes } = await openNodes(['one', 'two'], options);
  const [one, two] = [nodes[0]!, nodes[1]!];
  const call = await one.rig.dial();
  await one.rig.pass(2000);
  return { clock, one, two, call };
}

describe('a request for a call at another node', () => {
  it('is answered as by the owner node', async () => {
    const { one, two, call } = await callOnOne();
    const here = await one.rig.request('GET', `/voice/v1/call/${call}`);
    const there = await two.rig.request('GET', `/voice/v1/call/${call}`);
    expect(there.status).toBe(200);
    const { timestamp: _, ...known } = here.body;
    expect(there.body).toMatchObject(known);
  });

  it('takes effect on the call, with its body', async () => {
    const { one, two, call } = await callOnOne();
    const played = await two.rig.request('PUT', `/voice/v1/call/${call}/play`, { text: 'Hello' });
    expect(played.status).toBe(200);
    await one.rig.pass(5000);
    expect(one.rig.farEnd('2000').heard.length).toBeGreaterThan(0);
    const ended = await two.rig.request('DELETE', `/voice/v1/calls/${call}`);
    expect(ended.status).toBe(200);
    await one.rig.pass(1000);
    expect(one.rig.app.liveCalls).toBe(0);
  });

  it('gets the errors and the authentication of the owner node', async () => {
    const { two, call } = await callOnOne();
    const refused = await two.rig.request('PUT', `/voice/v1/call/${call}/play`, { text: '' });
    expect(refused.status).toBe(400);
    expect(await two.rig.request('DELETE', `/voice/v1/call/${call}`, undefined, { as: false })).toMatchObject({
      status: 401,
    });
    // That of another project is unknown on both.
    expect(await two.rig.request('GET', `/voice/v1/call/${call}`, undefined, { as: OTHER })).toMatchObject({
      status: 404,
    });
    const large = await two.rig.request('PUT', `/voice/v1/call/${call}/play`, { text: 'x'.repeat(1_100_000) });
    expect(large.status).toBe(413);
  });

  it('finds ended calls, and their admin view', async () => {
    const { one, two, call } = await callOnOne(withAdmin);
    await one.rig.request('DELETE', `/voice/v1/call/${call}`);
    await one.rig.pass(1000);
    expect(await two.rig.request('GET', `/voice/v1/call/${call}/journal`)).toMatchObject({ status: 200 });
    const trace = await two.rig.request('GET', `/admin/v1/calls/${call}/trace?format=text`, undefined, ADMIN);
    expect(trace.status).toBe(200);
    expect(trace.text).toContain('2000');
    expect(await two.rig.request('GET', '/voice/v1/call/nobody-knows-it')).toMatchObject({ status: 404 });
  });

  it('returns 503 if the nodes reject each other’s signatures, and reveals nothing', async () => {
    const { two, one, call } = await callOnOne(withAdmin);
    one.link.clockAheadMs = 40_000;
    const refused = await two.rig.request('GET', `/voice/v1/call/${call}`);
    expect(refused).toMatchObject({ status: 503, body: { msg: expect.stringMatching(/cannot be reached/) } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await two.rig.request('GET', '/voice/v1/recording/of-another-node')).toMatchObject({ status: 503 });
    expect(await two.rig.request('POST', '/admin/v1/nodes/one/drain', undefined, ADMIN)).toMatchObject({ status: 503 });
    const lines = two.rig.logLines.filter(({ message }) => message === 'cluster.not_reached');
    expect(lines[0]!.fields).toMatchObject({ name: 'one', failure: expect.stringMatching(/clocks/) });
    one.link.clockAheadMs = 0;
    one.rig.logLines.length = 0;
  });

  it('is refused for a while after its node is lost, with Retry-After', async () => {
    const { clock, one, two, call } = await callOnOne();
    one.link.isCut = true;
    await clock.advance(3000);
    const lost = await two.rig.request('GET', `/voice/v1/call/${call}`);
    expect(lost).toMatchObject({ status: 503, body: { msg: expect.stringMatching(/no longer on this node/) } });
    expect(lost.headers.get('retry-after')).toBe('1');
    // With a valid lease, the node may still end its calls on its own.
    one.link.isCut = false;
    await clock.advance(3000);
    one.rig.logLines.length = 0;
  });

  it('is refused if its node does not answer although its lease is valid', async () => {
    const { two, one, call } = await callOnOne();
    await one.rig.close();
    // As if it had died this moment: it has not left.
    const { body, status } = await two.rig.request('GET', `/voice/v1/call/${call}`);
    expect([status, body['msg']]).toEqual([503, 'the owning node cannot be reached']);
  });

  it('finds resources kept per node, such as rooms and conferences', async () => {
    const { nodes } = await openNodes(['one', 'two', 'three']);
    const [one, , three] = nodes;
    const made = await one!.rig.request('POST', '/video/v2/rooms', { name: 'board', owner_ref: 'x' });
    const roomId = String((made.body['room'] as { room_id: string }).room_id);
    expect(await three!.rig.request('GET', `/video/v2/rooms/${roomId}`)).toMatchObject({ status: 200 });
    expect(await three!.rig.request('GET', '/video/v2/rooms/000000000000000000000000')).toMatchObject({ status: 404 });
  });
});

describe('the header of a forwarded request', () => {
  const clock = new VirtualClock();
  const path = '/voice/v1/call/call-1';
  const request = { method: 'GET', path, digest: NO_BODY, identity: { projectId: 'shop' } };
  const signer = (me: string, key = CLUSTER_KEY) => createForwardSigner({ key, me, clock });

  it('is accepted once, by the target node, for its own request', () => {
    const [one, two] = [signer('one'), signer('two')];
    const header = one.sign('two', request);
    expect(signer('three').verify(header, request)).toHaveProperty('refused');
    expect(two.verify(header, { ...request, method: 'DELETE' })).toHaveProperty('refused');
    expect(two.verify(header, { ...request, path: `${path}2` })).toHaveProperty('refused');
    expect(two.verify(header, request)).toEqual({ digest: NO_BODY, identity: { projectId: 'shop' } });
    expect(two.verify(header, request)).toEqual({ refused: 'it was taken before' });
  });

  it('is refused if it is old, changed or signed with another key', async () => {
    const two = signer('two');
    expect(two.verify(signer('one', 'another key that is as long as it').sign('two', request), request)).toHaveProperty(
      'refused',
    );
    const header = signer('one').sign('two', request);
    const forged = Buffer.from(JSON.stringify({ projectId: 'other' })).toString('base64url');
    const parts = header.split('.');
    expect(two.verify([...parts.slice(0, 3), forged, parts[4]].join('.'), request)).toHaveProperty('refused');
    for (const wrong of ['', 'x', header.slice(1), `${header}a`, 'a'.repeat(100_000)]) {
      expect(two.verify(wrong, request)).toHaveProperty('refused');
    }
    await clock.advance(31_000);
    expect(two.verify(header, request)).toEqual({ refused: 'it is too old, or the clocks differ' });
  });

  it('is refused if it is forged or repeated by a client', async () => {
    const { one, two, call } = await callOnOne(withAdmin);
    const target = `/voice/v1/call/${call}`;
    const as = false as const;
    const key = 'a key that somebody has made up for this';
    const made = createForwardSigner({ key, me: 'x', clock: one.rig.clock });
    const sign = (from: typeof made, digest = NO_BODY) =>
      from.sign(one.id, { method: 'DELETE', path: target, digest, identity: { projectId: 'shop' } });
    const wrong = await one.rig.request('DELETE', target, undefined, { as, headers: { [FORWARD_HEADER]: sign(made) } });
    expect(wrong.status).toBe(401);
    expect(one.rig.app.liveCalls).toBe(1);
    // Valid credentials do not help: a wrongly signed request does not come from a node.
    expect(
      await one.rig.request('GET', target, undefined, { headers: { [FORWARD_HEADER]: sign(made) } }),
    ).toMatchObject({ status: 401 });

    // A valid header as an eavesdropper would see it: with another body, and repeated.
    const right = createForwardSigner({ key: CLUSTER_KEY, me: two.id, clock: one.rig.clock });
    const path = `${target}/play`;
    const digest = createHmac('sha256', 'x').update('not this body').digest('hex');
    const header = right.sign(one.id, { method: 'PUT', path, digest, identity: { projectId: 'shop' } });
    const changed = await one.rig.request('PUT', path, { text: 'Hi' }, { as, headers: { [FORWARD_HEADER]: header } });
    expect(changed.status).toBe(401);
    const admin = '/admin/v1/drain';
    const asProject = right.sign(one.id, {
      method: 'POST',
      path: admin,
      digest: NO_BODY,
      identity: { projectId: 'shop' },
    });
    expect(
      await one.rig.request('POST', admin, undefined, { as, headers: { [FORWARD_HEADER]: asProject } }),
    ).toMatchObject({ status: 401 });
    const headers = { [FORWARD_HEADER]: sign(right) };
    expect(await one.rig.request('DELETE', target, undefined, { as, headers })).toMatchObject({ status: 200 });
    expect(await one.rig.request('DELETE', target, undefined, { as, headers })).toMatchObject({ status: 401 });
  });

  it('is ignored by a single process', async () => {
    const rig = await openRig();
    expect(
      await rig.request('GET', '/voice/v1/call', undefined, { as: false, headers: { [FORWARD_HEADER]: 'x' } }),
    ).toMatchObject({ status: 401 });
    expect(await rig.request('GET', '/voice/v1/call', undefined, { headers: { [FORWARD_HEADER]: 'x' } })).toMatchObject(
      {
        status: 200,
      },
    );
  });
});

it('refuses new calls on a node without a lease', async () => {
  const { clock, nodes } = await openNodes(['one', 'two']);
  nodes[0]!.link.isCut = true;
  await clock.advance(2000);
  const refused = await nodes[0]!.rig.request('POST', '/voice/v1/call', { from: '1000', to: '2000' });
  expect(refused.status).toBe(503);
  expect(await nodes[1]!.rig.request('POST', '/voice/v1/call', { from: '1000', to: '2000' })).toMatchObject({
    status: 200,
  });
  nodes[0]!.rig.logLines.length = 0;
});
