/** Host names where a session description has an address (RFC 8866; fixture 13). */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CallIn, type FarEnd, Rig, SDP } from './rig.ts';

const NAME = 'media.example.com';
const NAMED = readFileSync(new URL('../fixtures/field/13-sdp-host-name.sdp', import.meta.url), 'utf8')
  .replaceAll(/\r?\n/g, '\r\n')
  .replace('localhost', NAME);

let rig: Rig;
let far: FarEnd;
beforeEach(async () => {
  rig = await new Rig({ allowSipUris: ['192.0.2.50'] }).start();
  far = rig.far(5062);
});
afterEach(() => rig.finish());

describe('an offer with a host name', () => {
  const invite = async (body = NAMED) => {
    const call = new CallIn(far);
    rig.onIncoming = ({ legId }) => rig.engine.send(legId, { type: 'answer' });
    call.invite({ body });
    await rig.settle();
    return call;
  };

  it('has the address of the host', async () => {
    rig.names[NAME] = ['2001:db8::9', '192.0.2.99'];
    await invite();
    expect(far.log).toEqual(['200 INVITE']);
    expect(rig.media.remote('leg-1')).toMatchObject({ host: '192.0.2.99', port: 30000 });
  });

  it('is held to what holds for addresses', async () => {
    rig.names[NAME] = ['224.0.0.1'];
    await invite();
    expect(far.log).toEqual(['488 INVITE']);
  });

  it('is refused if its host is unknown', async () => {
    await invite();
    expect(far.log).toEqual(['488 INVITE']);
  });

  it.each(['1.2.3', '-x', 'a_b', ''])('is not looked up as %j', async (host) => {
    rig.names[host] = ['192.0.2.99'];
    await invite(NAMED.replace(NAME, host));
    expect(far.log.at(-1)).toMatch(/^4(00|88) INVITE$/);
  });

  it('waits for two seconds at most, and can be cancelled meanwhile', async () => {
    Object.defineProperty(rig.names, NAME, { get: () => new Promise(() => {}) });
    const call = await invite();
    expect(far.log).toEqual([]);
    call.cancel();
    await rig.settle();
    expect(far.log).toEqual(['200 CANCEL', '487 INVITE']);
    call.ackRefusal(487);
    const other = await invite();
    await rig.advance(2_000);
    expect(far.log.at(-1)).toBe('488 INVITE');
    other.ackRefusal(488);
    expect(rig.incoming).toEqual([]);
  });
});

it('takes an answer with a host name', async () => {
  rig.names[NAME] = ['192.0.2.99'];
  rig.engine.dial({ legId: 'leg-1', from: '100', to: 'sip:bob@192.0.2.50:5062', ringTimeoutMs: 30_000 });
  await rig.settle();
  far.reply(far.request('INVITE'), 200, { body: SDP.replace(/c=IN IP4 \S+/, `c=IN IP4 ${NAME}`) });
  await rig.settle();
  expect(rig.types()).toEqual(['answered']);
  expect(rig.media.remote('leg-1')).toMatchObject({ host: '192.0.2.99' });
});
