/** Options of outbound calls for people who try a flow: a kept version of it, and the do-not-call list. */
import { describe, expect, it } from 'vitest';
import { NEW, openCanary } from './canary-rig.ts';
import { openRig } from './rigs.ts';

const CALL = '/voice/v1/call';
const order = { from: '1000', to: '2000', flow: 'hello' };

describe('a kept version', () => {
  it('runs in place of the version that calls use, for this call alone', async () => {
    const { rig, keep } = await openCanary();
    const version = await keep(NEW);
    const hashOf = async (more: object) => {
      const { body } = await rig.request('POST', CALL, { ...order, ...more });
      await rig.pass(3000);
      const { body: journal } = await rig.request('GET', `${CALL}/${String(body['voice_id'])}/journal`);
      return (journal['flow'] as { hash: string }).hash;
    };
    expect(await hashOf({ flow_version: version })).toBe(version);
    expect(await hashOf({})).not.toBe(version);
  });

  it.each([
    [{ flow_version: '0'.repeat(64) }, 404, 'no such version'],
    [{ flow_version: 'latest' }, 400, 'must be the hash of a version'],
    [{ flow_version: '0'.repeat(64), flow: { flow: 'own', start: 'a', steps: {} } }, 400, 'the name of a flow'],
    [{ flow_version: '0'.repeat(64), flow: undefined }, 400, 'the name of a flow'],
  ])('refuses %j with %i', async (more, status, words) => {
    const { rig } = await openCanary();
    const refused = await rig.request('POST', CALL, { ...order, ...more });
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(words)]);
  });
});

describe('the do-not-call list', () => {
  it('refuses a call that asks for the check, in every spelling of the number', async () => {
    const rig = await openRig({ callee: { does: 'answer' } });
    await rig.request('POST', '/voice/v1/do-not-call', { number: '+33 6 12 34 56 01' });
    const call = (to: string, more: object) => rig.request('POST', CALL, { from: '1000', to, ...more });
    const refused = await call('+33-612-345-601', { check_do_not_call: true });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('is on the do-not-call list')]);
    expect(rig.farEnds).toEqual([]);
    expect((await call('+33612345602', { check_do_not_call: true })).status).toBe(200);
    expect((await call('+33612345601', {})).status).toBe(200);
  });
});
