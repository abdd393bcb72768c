/** An engine that listens on all addresses of the machine: audio works in both directions for both kinds of calls. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSamples, secondsOfTone } from '../e2e/sound.ts';
import { type Leg, play, record, Site, silence, tone } from './site.ts';

const V4 = '127.0.33.1';
const V6 = '::1';
let directory: string;
let sites: Site[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'callweave-addresses-'));
  sites = [];
});
afterEach(async () => {
  await Promise.all(sites.map(({ engine }) => engine.stop()));
  rmSync(directory, { recursive: true });
});

const open = async (host: string, portRange: [number, number]): Promise<Site> => {
  const site = await Site.open({ host, portRange, allowSipUris: [V4, '127.0.0.1', V6] });
  sites.push(site);
  return site;
};

/** Audio that each side receives from the other. */
const talk = async (near: Leg, far: Leg): Promise<void> => {
  const files = [near, far].map(({ legId }, at) => join(directory, `${at}-${legId}.wav`));
  near.send(record('r', files[0]!, { maxLengthMs: 600 }), play('p', [silence(60), tone(440, 300)]));
  far.send(record('r', files[1]!, { maxLengthMs: 600 }), play('p', [silence(60), tone(660, 300)]));
  await Promise.all([near.until('record_ended'), far.until('record_ended')]);
  const [nearHeard, farHeard] = files.map((file) => readSamples(file));
  expect(secondsOfTone(nearHeard!, 660)).toBeGreaterThanOrEqual(0.2);
  expect(secondsOfTone(farHeard!, 440)).toBeGreaterThanOrEqual(0.2);
};

describe.each([
  ['0.0.0.0', V4, '127.0.0.1'],
  ['::', V4, '127.0.0.1'],
  ['::', V6, V6],
])('an engine on %s and a phone on %s', (host, phoneHost, name) => {
  it('are connected with audio in both directions, whichever side calls', async () => {
    const [all, phone] = await Promise.all([open(host, [21_000, 21_099]), open(phoneHost, [21_100, 21_199])]);
    const written = name.includes(':') ? `[${name}]` : name;
    const [near, far] = await phone.call(all, `sip:100@${written}:${all.engine.address().port}`);
    await talk(near, far);
    // Requests inside the call are routed by our Contact.
    await near.hangUp();
    await far.until('ended');
    const [byTcp, ofTcp] = await phone.call(all, `sip:100@${written}:${all.engine.address().port};transport=tcp`);
    expect(ofTcp.arrival?.remote).toMatch(`tcp:${phoneHost.includes(':') ? `[${phoneHost}]` : '127.0.0.1'}:`);
    await ofTcp.hangUp();
    await byTcp.until('ended');
    const there = phoneHost.includes(':') ? `[${phoneHost}]` : phoneHost;
    const [caller, callee] = await all.call(phone, `sip:100@${there}:${phone.engine.address().port}`);
    expect(callee.arrival?.remote).toBe(`udp:${written}:${all.engine.address().port}`);
    await talk(caller, callee);
    await callee.hangUp();
    expect(await caller.until('ended')).toMatchObject({ by: 'far', cause: { code: 16 } });
  }, 30_000);
});
