/** Replaces: calls are taken over only by users of the same project, or handed over by their own party. */
import { afterEach, describe, expect, it } from 'vitest';
import { digestResponse } from '../../src/media/telephony/sip/auth.ts';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { CallIn, ENGINE_HOST, type FarEnd, PHONE_HOST, Rig } from '../sip/rig.ts';

const USERS = {
  alice: { name: 'alice', password: 'wonderland' },
  mallory: { name: 'mallory', password: 'elsewhere' },
};
type Name = keyof typeof USERS;

let rig: Rig;
/** Legs of the other project. */
let others: string[];
afterEach(() => rig.finish());

const open = async (): Promise<void> => {
  others = [];
  rig = new Rig({ users: Object.values(USERS), routes: [{ prefix: '+', uri: 'sip:192.0.2.77' }] });
  rig.projectOf = (of) => {
    if ('user' in of) return of.user === 'mallory' ? 'theirs' : 'ours';
    return others.includes(of.legId) ? 'theirs' : 'ours';
  };
  await rig.start();
  await rig.settle();
};

let calls = 0;

/** An INVITE with a password; the far end receives the final answer. */
const invites = async (far: FarEnd, name: Name, headers: readonly string[] = []): Promise<CallIn> => {
  const words = { from: `<sip:${name}@x>;tag=u${++calls}` };
  const asked = new CallIn(far, words);
  asked.invite({ headers });
  await rig.settle();
  const nonce = /nonce="([^"]+)"/.exec(headerOf(far.response(401), 'www-authenticate')!)![1]!;
  asked.ackRefusal(401);
  const { password } = USERS[name];
  const said = { algorithm: 'MD5', username: name, password, realm: 'callweave', nonce, method: 'INVITE' } as const;
  const response = digestResponse({ ...said, uri: asked.uri, qop: { nc: '00000001', cnonce: 'c' } });
  const proof = `Authorization: Digest username="${name}", realm="callweave", nonce="${nonce}", uri="${asked.uri}", response="${response}", qop=auth, nc=00000001, cnonce="c"`;
  const call = new CallIn(far, words);
  call.invite({ headers: [proof, ...headers] });
  await rig.settle();
  return call;
};

/** A call of a customer, and its dialog identifiers as an eavesdropper could read them. */
const victim = async (host = PHONE_HOST): Promise<{ far: FarEnd; named: string }> => {
  const far = rig.far(5062, host);
  const call = await rig.connected(far, { from: '<sip:+49301@x>;tag=v', callId: `victim-${++calls}` });
  return { far, named: `${call.callId};to-tag=${far.response(200, 'INVITE').to.params['tag']};from-tag=v` };
};

const answered = async (far: FarEnd, name?: Name): Promise<CallIn> => {
  const call = name ? await invites(far, name) : new CallIn(far, { from: '<sip:stranger@x>;tag=q' });
  if (!name) call.invite();
  await rig.settle();
  rig.engine.send(rig.incoming.at(-1)!.legId, { type: 'answer' });
  await rig.settle();
  call.ack();
  await rig.settle();
  return call;
};

const asksToMerge = async (call: CallIn, named: string): Promise<string | undefined> => {
  call.request('REFER', { headers: [`Refer-To: <sip:100@${ENGINE_HOST}?Replaces=${encodeURIComponent(named)}>`] });
  await rig.settle();
  return call.far.statuses.find((status) => !status.startsWith('1') && /^(202|4)/.test(status));
};

const refusals = () =>
  rig.logged.filter(({ message }) => message === 'sip.replace_refused').map(({ fields }) => fields);

describe('a call of a project', () => {
  it('is taken over by one of its users', async () => {
    await open();
    const { far, named } = await victim();
    const phone = rig.far(5080);
    const taken = await invites(phone, 'alice', [`Replaces: ${named}`]);
    expect([phone.log.at(-1), far.log.at(-1)]).toEqual(['200 INVITE', 'BYE']);
    taken.ack();
    await rig.settle();
  });

  it('is taken over while the service drains too; an unknown dialog means a new call, which is refused', async () => {
    await open();
    const { far, named } = await victim();
    rig.engine.acceptCalls(false);
    const phone = rig.far(5080);
    const taken = await invites(phone, 'alice', [`Replaces: ${named}`]);
    expect([phone.log.at(-1), far.log.at(-1)]).toEqual(['200 INVITE', 'BYE']);
    taken.ack();
    const gone = new CallIn(phone, { from: '<sip:alice@x>;tag=late' });
    gone.invite({ headers: ['Replaces: nobody;to-tag=1;from-tag=2'] });
    await rig.settle();
    expect(phone.log.at(-1)).toBe('503 INVITE');
  });

  it('does not exist for a user of another project', async () => {
    await open();
    const { far, named } = await victim();
    const phone = rig.far(5080);
    await invites(phone, 'mallory', [`Replaces: ${named}`]);
    await invites(phone, 'mallory', ['Replaces: nobody;to-tag=1;from-tag=2']);
    expect(phone.statuses.filter((status) => !status.startsWith('401'))).toEqual(
      Array(2).fill('481 Call/Transaction Does Not Exist'),
    );
    expect([far.log.at(-1), rig.types('leg-1')]).toEqual(['200 INVITE', ['answered']]);
    expect(refusals()).toEqual([{ legId: 'leg-1', user: 'mallory', source: 'udp:192.0.2.50:5080' }]);
    await rig.advance(40_000);
  });

  it('belongs to no project if its caller is accepted before the project is known', async () => {
    await open();
    const { named } = await victim();
    rig.projectOf = (of) => ('user' in of ? 'ours' : undefined);
    const phone = rig.far(5080);
    await invites(phone, 'alice', [`Replaces: ${named}`]);
    expect(phone.log.at(-1)).toBe('481 INVITE');
    await rig.advance(40_000);
  });

  it.each<[string, Name | undefined, string | undefined]>([
    ['by a stranger who has a call', undefined, undefined],
    ['by a user of another project', 'mallory', 'mallory'],
  ])('is not merged into another (REFER) %s', async (_who, name, user) => {
    await open();
    const { named } = await victim();
    const far = rig.far(5090, '203.0.113.9');
    const call = await answered(far, name);
    if (name) others.push('leg-2');
    far.clear();
    expect(await asksToMerge(call, named)).toBe('481 Call/Transaction Does Not Exist');
    expect(rig.types('leg-2')).toEqual(['answered']);
    expect(refusals()).toEqual([
      { legId: 'leg-1', ...(user === undefined ? {} : { user }), source: 'udp:203.0.113.9:5090' },
    ]);
  });

  it('is merged into another by a user of the project', async () => {
    await open();
    const { named } = await victim();
    const phone = rig.far(5090, '203.0.113.9');
    const call = await answered(phone, 'alice');
    phone.clear();
    expect(await asksToMerge(call, named)).toBe('202 Accepted');
    expect(rig.event('referred', 'leg-2')).toMatchObject({ replacesLegId: 'leg-1' });
    phone.reply(phone.request('NOTIFY'), 200);
  });

  it('is not merged into one of another project, not even by its own user', async () => {
    await open();
    const { named } = await victim();
    const phone = rig.far(5090, '203.0.113.9');
    const call = await answered(phone, 'alice');
    others.push('leg-2');
    phone.clear();
    expect(await asksToMerge(call, named)).toBe('481 Call/Transaction Does Not Exist');
  });

  it('is handed over by its own unknown party, from the address of that party', async () => {
    await open();
    const { far, named } = await victim();
    const second = await answered(far);
    far.clear();
    expect(await asksToMerge(second, named)).toBe('202 Accepted');
    far.reply(far.request('NOTIFY'), 200);
  });

  it('cannot be transferred by another caller of the same carrier', async () => {
    await open();
    const { named } = await victim('192.0.2.77');
    const second = await answered(rig.far(5062, '192.0.2.77'));
    second.far.clear();
    expect(await asksToMerge(second, named)).toBe('481 Call/Transaction Does Not Exist');
  });
});
