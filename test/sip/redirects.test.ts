/** 3xx to an INVITE of the engine: which targets are followed, in which order, how often, and which are not. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Carriers } from '../../src/media/telephony/sip/carriers.ts';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { redirectTarget } from '../../src/media/telephony/sip/outbound-routes.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { FarEnd, Rig, SDP } from './rig.ts';

const ALLOWED = '192.0.2.50';
const routes = [
  { prefix: '', uri: 'sip:carrier.example', username: 'we', password: 'pw' },
  { prefix: '+49', uri: 'sip:192.0.2.49:5080', username: 'we', password: 'pw' },
  { prefix: '+33', uri: 'sip:french.example', transport: 'tcp' as const },
];
const allowSipUris = [ALLOWED, 'friends.example', '192.0.2.49'];
const table = {
  carriers: new Carriers(routes, new VirtualClock()),
  allowSipUris,
  isCarrier: () => false,
  hasTls: false,
};

describe('the Contact of a redirection', () => {
  it.each<[to: string, contact: string, target: string | undefined]>([
    ['sip:bob@friends.example', 'sip:carol@friends.example', 'sip:carol@friends.example'],
    ['sip:bob@friends.example', 'sip:bob@192.0.2.50:5070;transport=tcp', 'sip:bob@192.0.2.50:5070;transport=tcp'],
    ['sip:bob@friends.example', 'sip:x@friends.example;maddr=10.0.0.1?Route=%3Csip:evil%3E', 'sip:x@friends.example'],
    ['user:alice', 'sip:voicemail@friends.example', 'sip:voicemail@friends.example'],
    ['+49301234', 'sip:bob@friends.example', 'sip:bob@friends.example'],
    ['+49301234', 'sip:+49301234@carrier.example', 'sip:+49301234@carrier.example'],
    ['+49301234', 'sip:+49-30-1234@192.0.2.49:5080', 'sip:+49301234@192.0.2.49:5080'],
    ['tel:+33-1-23', 'sip:+33123@french.example', 'sip:+33123@french.example;transport=tcp'],
    // Another number of a carrier, by any road.
    ['+49301234', 'sip:+1900555@carrier.example', undefined],
    ['+49301234', 'sip:+1900555@192.0.2.49:5080', undefined],
    ['+49301234', 'sip:+1900555@192.0.2.49', undefined],
    ['sip:bob@friends.example', 'sip:+1900555@carrier.example', undefined],
    ['sip:+1900555@friends.example', 'sip:+1900555@carrier.example', undefined],
    ['user:alice', 'sip:+1900555@carrier.example', undefined],
    // The same number, where no route for it leads.
    ['+49301234', 'sip:+49301234@french.example', undefined],
    ['+49301234', 'sip:+49301234@carrier.example:5099', undefined],
    // Nowhere.
    ['+49301234', 'sip:+49301234@evil.example', undefined],
    ['sip:bob@friends.example', 'sip:bob@friends.example.evil.example', undefined],
    ['sip:bob@friends.example', 'sips:bob@friends.example', undefined],
    ['+49301234', 'tel:+49301234', undefined],
    ['sip:bob@friends.example', 'user:alice', undefined],
    ['sip:bob@friends.example', `sip:${'x'.repeat(300)}@friends.example`, undefined],
    ['sip:bob@friends.example', '', undefined],
  ])('resolves a call of %s to %s as %s', (to, contact, target) => {
    expect(redirectTarget(contact, to, table)?.requestUri).toBe(target);
  });

  it("uses a carrier's password only for that carrier", () => {
    const target = (contact: string) => redirectTarget(contact, '+49301234', table);
    expect(target('sip:+49301234@192.0.2.49:5080')?.credentials).toBeDefined();
    expect(target('sip:+49301234@friends.example')?.credentials).toBeUndefined();
  });
});

describe('a call that is redirected', () => {
  let rig: Rig;
  let far: FarEnd;
  beforeEach(async () => {
    rig = await new Rig({ routes, allowSipUris }).start();
    far = rig.far();
    rig.engine.dial({ legId: 'leg-1', from: '1', to: `sip:bob@${ALLOWED}:5062`, ringTimeoutMs: 30_000 });
    await rig.settle();
  });
  afterEach(() => rig.finish());

  const at = (port: number) => new FarEnd(rig.net, { transport: 'udp', host: ALLOWED, port });
  const refuse = async (by: FarEnd, status: number, contact = 'none') => {
    by.reply(by.request('INVITE'), status, { contact });
    await rig.settle();
  };
  const contacts = (...values: string[]) => values.join(', ');
  const place = (port: number, more = '') => `<sip:bob@${ALLOWED}:${port}>${more}`;

  it.each([300, 301, 302])('is answered elsewhere after %i: the same call at another target', async (status) => {
    const other = at(5070);
    const first = far.request('INVITE');
    await refuse(far, status, `<sip:carol@${ALLOWED}:5070>`);
    const second = other.request('INVITE');
    expect(second.uri.text).toBe(`sip:carol@${ALLOWED}:5070`);
    expect([second.callId, second.from.params['tag'], headerOf(second, 'to'), second.cseq.number]).toEqual([
      first.callId,
      first.from.params['tag'],
      headerOf(first, 'to'),
      first.cseq.number + 1,
    ]);
    other.reply(second, 200, { body: SDP });
    await rig.settle();
    expect([far.log, other.log, rig.types()]).toEqual([['INVITE', 'ACK'], ['INVITE', 'ACK'], ['answered']]);
  });

  it.each<[status: number, contact: string]>([
    [302, '<sip:bob@evil.example>'],
    [302, '<sip:+1900555@carrier.example>'],
    [302, '<tel:+1900555>'],
    [302, `<sip:bob@${ALLOWED}:5062>`],
    [302, 'nonsense<'],
    [305, `<sip:bob@${ALLOWED}:5070>`],
    [380, `<sip:bob@${ALLOWED}:5070>`],
    [486, `<sip:bob@${ALLOWED}:5070>`],
  ])('ends after %i to %s', async (status, contact) => {
    const other = at(5070);
    await refuse(far, status, contact);
    expect(other.log).toEqual([]);
    const code = status === 486 ? 17 : 31;
    expect(rig.event('ended')).toMatchObject({ cause: { code }, by: 'far', sipStatus: status });
  });

  it('tries the preferred target first, then the others, and ends with the last refusal', async () => {
    const [low, high, plain] = [at(5071), at(5072), at(5073)];
    await refuse(far, 300, contacts(place(5071, ';q=0.1'), place(5072, ';q=0.7'), place(5073)));
    await refuse(plain, 404);
    await refuse(high, 480);
    expect(low.log).toEqual(['INVITE']);
    await refuse(low, 486);
    expect(rig.event('ended')).toMatchObject({ cause: { code: 17 }, sipStatus: 486 });
  });

  it('continues if a target is unreachable', async () => {
    const other = at(5071);
    await refuse(far, 302, contacts(place(5070), place(5071)));
    expect(other.log).toEqual(['INVITE']);
  });

  it('ends once every target declined', async () => {
    const [one, two] = [at(5071), at(5072)];
    await refuse(far, 302, contacts(place(5071), place(5072)));
    await refuse(one, 603);
    expect([two.log, rig.event('ended').sipStatus]).toEqual([[], 603]);
  });

  it('follows five targets at most', async () => {
    const ends = Array.from({ length: 8 }, (_, index) => at(5070 + index));
    let last = far;
    for (const [index, next] of ends.entries()) {
      await refuse(last, 302, place(5070 + index));
      if (next.log.length === 0) break;
      last = next;
    }
    expect(ends.map(({ log }) => log.length > 0)).toEqual([true, true, true, true, true, false, false, false]);
    expect(rig.event('ended')).toMatchObject({ cause: { code: 31 }, sipStatus: 302 });
  });

  it('does not go round in circles', async () => {
    const other = at(5070);
    await refuse(far, 302, place(5070));
    await refuse(other, 302, contacts(place(5062), place(5070)));
    expect(rig.event('ended')).toMatchObject({ sipStatus: 302 });
    expect([far.log, other.log]).toEqual([
      ['INVITE', 'ACK'],
      ['INVITE', 'ACK'],
    ]);
  });

  it('is cancelled at its current target only', async () => {
    const other = at(5070);
    await refuse(far, 302, place(5070));
    other.reply(other.request('INVITE'), 180);
    await rig.settle();
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    expect([far.log, other.log, rig.types()]).toEqual([
      ['INVITE', 'ACK'],
      ['INVITE', 'CANCEL'],
      ['ringing', 'ended'],
    ]);
    other.reply(other.request('CANCEL'), 200);
    await refuse(other, 302, place(5071));
    expect(other.log.at(-1)).toBe('ACK');
  });

  it('calls no target if it was cancelled during name resolution', async () => {
    far.reply(far.request('INVITE'), 302, { contact: '<sip:bob@friends.example>' });
    await new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(resolve)));
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    expect([far.log, rig.types()]).toEqual([['INVITE', 'ACK'], ['ended']]);
    const before = rig.clock.now();
    const stopped = rig.engine.stop();
    await rig.settle();
    await stopped;
    expect(rig.clock.now()).toBe(before);
  });

  it('observes the total ring timeout', async () => {
    const other = at(5070);
    far.reply(far.request('INVITE'), 180);
    await rig.advance(20_000);
    await refuse(far, 302, place(5070));
    other.reply(other.request('INVITE'), 180);
    await rig.advance(10_000);
    expect(rig.event('ended')).toMatchObject({ cause: { code: 19 }, by: 'near' });
    expect(rig.types()).toEqual(['ringing', 'ended']);
    other.reply(other.request('CANCEL'), 200);
    await refuse(other, 487);
  });
});
