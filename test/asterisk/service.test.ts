/** A started service whose calls an Asterisk carries: a flow on real calls. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAsterisk } from '../../src/cli/doctor/asterisk.ts';
import { type Service, startService } from '../e2e/service.ts';
import { Party } from '../engine/network.ts';
import { asteriskMissing, SECRET, USER } from './asterisk.ts';
import { AsteriskNetwork, GAP_MS } from './asterisk-network.ts';

const missing = await asteriskMissing();
const SERVICE = '127.0.42.9';
const EXTENSIONS = '[callweave]\nexten => _X.,1,Stasis(callweave)\n same => n,Hangup(34)\n';
const MENU = `flow: menu
start: ask
defaults: { exits: { error: bye } }
steps:
  ask:
    menu:
      prompt: "Press one to hear what time it is, or two to talk with somebody."
      choices: { time: { dtmf: "1" }, somebody: { dtmf: "2" } }
    exits: { time: said, somebody: talk, exhausted: bye }
  said: { play: "It is time to go.", next: bye }
  talk: { bridge: "+3310000", exits: { completed: bye, failed: bye } }
  bye: { hangup: normal }
`;

describe.skipIf(missing !== undefined)(missing ?? 'a service whose calls an Asterisk carries', () => {
  let network: AsteriskNetwork;
  let service: Service;
  const directory = mkdtempSync(join(tmpdir(), 'callweave-asterisk-service-'));

  beforeAll(async () => {
    network = await AsteriskNetwork.open('127.0.42', { 'extensions.conf': EXTENSIONS });
    service = await startService({
      ...{ directory, address: SERVICE },
      more: { asterisk: { url: network.asterisk.url, user: USER, password: SECRET, trunk: 'carrier' } },
      numbers: [{ number: '33199001122', flow: 'menu', project: 'demo' }],
      flows: { 'menu.flow.yaml': MENU },
    });
  });
  afterAll(async () => {
    await service?.stop();
    await network?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const call = async (keys: string) => {
    const leg = network.site.dial(`sip:33199001122@${network.asterisk.address}:5060`);
    await leg.until('answered');
    new Party(leg, GAP_MS).press(keys);
    await leg.until('ended');
    const { body } = await service.api('GET', '/voice/v1/call?limit=1');
    const [last] = body['calls'] as { voice_id: string; state: string }[];
    const journal = await service.api('GET', `/voice/v1/call/${last!.voice_id}/journal`);
    const entries = journal.body['entries'] as { kind: string; step?: string; outcome?: string }[];
    const way = entries.flatMap(({ kind, step, outcome }) => (kind === 'left' ? [`${step}:${outcome}`] : []));
    return { state: last!.state, way };
  };

  it('passes doctor with everything that calls need', async () => {
    const findings = await checkAsterisk({
      ...{ url: network.asterisk.url, user: USER, secret: SECRET, application: 'callweave', trunk: 'carrier' },
      mediaDirectory: directory,
    });
    expect(findings.map(({ subject, state }) => [subject, state])).toEqual([
      ['Asterisk', 'ok'],
      ['its modules', 'ok'],
      ['its trunk', 'ok'],
    ]);
  });

  it('asks, takes a key, says what was asked for, and hangs up', async () => {
    expect(await call('1')).toEqual({ state: 'disconnected', way: ['ask:time', 'said:done', 'bye:done'] });
  });

  it('bridges the caller to a number, until that one hangs up', async () => {
    const { to } = network.expect({ does: 'answer', ringsAfterMs: 50, afterMs: 200, talkMs: 500 });
    expect(to).toBe('+3310000');
    expect(await call('2')).toEqual({ state: 'disconnected', way: ['ask:somebody', 'talk:completed', 'bye:done'] });
  });
});
