/** Attacks on the API by a holder of a key. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiRig, OTHER } from '../api/rig.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await ApiRig.open({ config: 'numbers: [{ number: "1000" }, { number: "3000", project: other }]\n' });
});
afterAll(() => rig.close());

const dial = (body: object) =>
  rig.request('POST', '/voice/v1/call', { from: '1000', to: 'sip:a@phone.example', ...body });

describe('a dial-out request', () => {
  it.each(['10\r\n00', '1000\r\n', '\n1000', '10\t00', '1000\0', '1000\x7f'])('refuses the caller %j', async (from) => {
    const { status, body } = await dial({ from });
    expect([status, body['msg']]).toEqual([400, 'at /from: must be a number']);
  });

  it.each(['1\r\nX-Evil: 1', 'sip:a@h\r\nRoute: <sip:evil>', 'sip:a@h?Route=<sip:evil>', 'sip:a\0@h', '"x" <sip:a@h>'])(
    'refuses to call %j',
    async (to) => {
      expect((await dial({ to })).status).toBe(400);
    },
  );

  it.each([
    'http://169.254.169.254/latest',
    'http://[::ffff:169.254.169.254]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://10.0.0.1/',
    'http://2852039166/',
    'http://0.0.0.0/',
    'http://[::]/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
  ])('sends no events to %s', async (url) => {
    expect((await dial({ event_url: url })).status).toBe(400);
  });

  it('accepts no key that would change the prototype of objects', async () => {
    const body = '{"from":"1000","to":"sip:a@h","flow":{"__proto__":{"polluted":1},"flow":"x","start":"a","steps":{}}}';
    const { status } = await rig.request('POST', '/voice/v1/call', body);
    expect(status).toBe(422);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe("another project's call", () => {
  it.each<[string, string, object?]>([
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '', { play: { text: 'x', voice: 'female', language: 'en-US' } }],
    ['PUT', '/play', { text: 'x', voice: 'female', language: 'en-US' }],
    ['POST', '/accept'],
    ['POST', '/event', { event: 'x' }],
  ])('is unknown to %s %s, with the same answer as for a call that never existed', async (method, path, body) => {
    const own = await rig.dial();
    const ask = (id: string) => rig.request(method, `/voice/v1/call/${id}${path}`, body, { as: OTHER });
    const [theirs, none] = [await ask(own), await ask('never')];
    expect(theirs.status).toBe(404);
    const told = ({ body: { timestamp: _, voice_id: __, ...rest } }: typeof none) => rest;
    expect(told(theirs)).toEqual(told(none));
  });
});
