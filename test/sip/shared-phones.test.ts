/** Phones of a service with several nodes: their challenges, and the route to them through an edge proxy. */
import { afterEach, describe, expect, it } from 'vitest';
import { localContacts } from '../../src/media/telephony/sip/contact-store.ts';
import type { SipEngineOptions, SipEnginePorts } from '../../src/media/telephony/sip/engine-options.ts';
import { headerOf, listOf } from '../../src/media/telephony/sip/message.ts';
import { localNonceCounts, type NonceCounts } from '../../src/media/telephony/sip/nonce-counts.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { CallIn, type FarEnd, PHONE_HOST, Rig, SDP } from './rig.ts';

const ALICE = { name: 'alice', password: 'wonderland' };
const REGISTRAR = 'sip:192.0.2.1';
const EDGE = '192.0.2.9';
const CONTACT = `Contact: <sip:alice@${PHONE_HOST}:5070>`;
const PATH = `<sip:${EDGE}:5090;lr;received=sip:${PHONE_HOST}:41000>`;

const rigs: Rig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.finish();
});
const node = async (shared?: SipEnginePorts['shared'], options: SipEngineOptions = {}): Promise<Rig> => {
  const rig = new Rig({ users: [ALICE], ...options }, shared ? { shared } : {});
  rigs.push(rig);
  return rig.start();
};

let cseq = 0;
const register = async (rig: Rig, far: FarEnd, headers: readonly string[]): Promise<string> => {
  cseq++;
  far.send([
    `REGISTER ${REGISTRAR} SIP/2.0`,
    `Via: SIP/2.0/UDP ${far.place.host}:${far.place.port};branch=z9hG4bK-r${cseq};rport`,
    `From: <sip:alice@pbx>;tag=t${cseq}`,
    'To: <sip:alice@pbx>',
    'Call-ID: registration',
    `CSeq: ${cseq} REGISTER`,
    'Max-Forwards: 70',
    ...headers,
  ]);
  await rig.advance(10);
  return far.log.at(-1)!;
};
const challenged = async (rig: Rig, far: FarEnd): Promise<string> => {
  expect(await register(rig, far, [])).toBe('401 REGISTER');
  return rig.proof(far, ALICE, 'REGISTER', REGISTRAR);
};

describe('a challenge of one node', () => {
  /** Asked over a network. */
  const lateCounts = (rig: () => Rig, counts: NonceCounts): NonceCounts => ({
    take: (nonce, count, lifeMs, done) => void rig().clock.after(5, () => counts.take(nonce, count, lifeMs, done)),
  });
  const nodes = async (counts: NonceCounts): Promise<[Rig, Rig]> => {
    const clock = new VirtualClock();
    const contacts = localContacts(clock);
    const key = Buffer.from('of all nodes');
    const made: Rig[] = [];
    for (const at of [0, 1]) {
      made.push(await node({ contacts, nonces: { key, counts: lateCounts(() => made[at]!, counts) } }));
    }
    return made as [Rig, Rig];
  };

  const provedCall = async (rig: Rig, far: FarEnd): Promise<CallIn> => {
    const asked = new CallIn(far);
    asked.invite();
    await rig.advance(10);
    asked.ackRefusal(401);
    const call = new CallIn(far);
    call.invite({ headers: [rig.proof(far, ALICE, 'INVITE', call.uri)] });
    await rig.advance(10);
    return call;
  };

  it('is answered at another, once', async () => {
    const [one, other] = await nodes(localNonceCounts(new VirtualClock()));
    const [farOfOne, farOfOther] = [one.far(), other.far()];
    const proof = await challenged(one, farOfOne);
    expect(await register(other, farOfOther, [proof, CONTACT])).toBe('200 REGISTER');
    expect(await register(one, farOfOne, [proof, CONTACT])).toBe('401 REGISTER');
    expect(headerOf(farOfOne.response(401), 'www-authenticate')).toContain('stale=true');
    one.engine.dial({ legId: 'leg-1', to: 'user:alice', from: '1', ringTimeoutMs: 9000 });
    await one.settle();
    expect(farOfOne.request('INVITE').uri.text).toBe(`sip:alice@${PHONE_HOST}:5070`);
  });

  it('is rejected while it is unknown whether the answer was used before', async () => {
    const [one] = await nodes({ take: (_nonce, _count, _lifeMs, done) => done(undefined) });
    const far = one.far();
    const proof = await challenged(one, far);
    expect(await register(one, far, [proof, CONTACT])).toBe('503 REGISTER');
    expect(headerOf(far.response(503), 'retry-after')).toBe('5');
    await provedCall(one, far);
    expect([far.log.at(-1), one.incoming.length]).toEqual(['503 INVITE', 0]);
  });

  it('lets a caller give up before it is known who calls', async () => {
    const [one] = await nodes({ take: () => undefined });
    const far = one.far();
    const call = await provedCall(one, far);
    call.cancel();
    await one.advance(10);
    expect(far.log.slice(-2).sort()).toEqual(['200 CANCEL', '487 INVITE']);
    call.ackRefusal(487);
    expect(one.incoming).toEqual([]);
  });
});

describe('a phone behind an edge proxy', () => {
  const registered = async (edges: readonly string[]): Promise<{ rig: Rig; edge: FarEnd }> => {
    const rig = await node(undefined, { edges });
    const edge = rig.far(5090, EDGE);
    const proof = await challenged(rig, edge);
    expect(await register(rig, edge, [proof, CONTACT, `Path: ${PATH}`])).toBe('200 REGISTER');
    rig.engine.dial({ legId: 'leg-1', to: 'user:alice', from: '1', ringTimeoutMs: 9000 });
    await rig.settle();
    return { rig, edge };
  };

  it('is called by the way that the edge gave, and within the call by the one that it recorded', async () => {
    const { rig, edge } = await registered([`${EDGE}/32`]);
    expect(listOf(edge.response(200), 'path')).toEqual([PATH]);
    const invite = edge.request('INVITE');
    expect([invite.uri.text, listOf(invite, 'route')]).toEqual([`sip:alice@${PHONE_HOST}:5070`, [PATH]]);
    const recorded = `<sip:${EDGE}:5090;lr>`;
    edge.reply(invite, 200, { body: SDP, headers: [`Record-Route: ${recorded}`] });
    await rig.settle();
    expect(rig.types()).toContain('answered');
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    expect(listOf(edge.request('BYE'), 'route')).toEqual([recorded]);
    edge.reply(edge.request('BYE'), 200);
    await rig.settle();
  });

  it('is called at its source where the edge is not known to be ours', async () => {
    const { edge } = await registered([]);
    expect(listOf(edge.response(200), 'path')).toEqual([]);
    expect(listOf(edge.request('INVITE'), 'route')).toEqual([]);
  });

  it('does not share a limit with the others behind it', async () => {
    const rig = await node(undefined, { edges: [EDGE], limits: { invitesPerSecond: 1, inviteBurst: 1 } });
    const edge = rig.far(5090, EDGE);
    for (let call = 0; call < 5; call++) new CallIn(edge, { from: `<sip:n${call}@x>;tag=${call}` }).invite();
    await rig.settle();
    expect(rig.incoming).toHaveLength(5);
  });
});
