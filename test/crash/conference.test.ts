/**
 * Conference of real phones whose calls are on three nodes of a cluster, each a process: every participant hears the
 * others, also after the owner node of the conference was killed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as talkFor } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Cast, castAt, heardBy, PHONE_ADDRESS, TONE_HZ } from '../e2e/cast.ts';
import { type Service, startService } from '../e2e/service.ts';
import { RATE_HZ, secondsOfTone } from '../e2e/sound.ts';
import { program } from '../programs.ts';
import { type RedisServer, redisProgram, startRedis, until } from '../redis-server.ts';

const baresip = program('baresip');
const NAMES = ['one', 'two', 'three'] as const;
const MEETING = `flow: meeting
start: meet
defaults: { exits: { error: bye } }
steps:
  meet: { conference: { name: daily }, exits: { left: bye, ended: bye, full: bye } }
  bye: { hangup: normal }
`;
/** With two simultaneous tones, each has about half of the energy. */
const ONE_OF_TWO = 0.3;
const TRACE = 0.05;
/** Time until the remaining members hear each other again. */
const WITHIN_MS = 5000;

describe.skipIf(redisProgram.missing || baresip.missing)(
  `a conference of several nodes${redisProgram.why}${baresip.why}`,
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-places-'));
    let cast: Cast;
    let nodes: Service[];
    let redis: RedisServer;

    beforeEach(async () => {
      cast = castAt(15_700);
      nodes = [];
      redis = await startRedis();
      for (const [index, name] of NAMES.entries()) {
        const address = `127.0.45.${index + 1}`;
        const cluster = {
          redis: { url: redis.url },
          key: 'a-key-that-only-the-nodes-of-this-test-know',
          durability: 'memory',
          node: name,
          address: `http://${address}:8080`,
        };
        nodes.push(
          await startService({
            ...{ directory: join(directory, name), address, more: { cluster } },
            sip: { allow_sip_uris: [PHONE_ADDRESS] },
            numbers: [{ number: '7000', flow: 'meeting', project: 'demo' }],
            flows: { 'meeting.flow.yaml': MEETING },
          }),
        );
      }
    });
    afterEach(async () => {
      await cast.stop();
      await Promise.all(nodes.map((node) => node.kill()));
      await redis?.stop();
      rmSync(directory, { recursive: true, force: true });
    });

    type Listed = { conference_id: string; participants: { voice_id: string; from: string; state: string }[] };
    const conferencesAt = async (node: Service): Promise<Listed[]> =>
      (await node.api('GET', '/voice/v1/conference')).body['conferences'] as Listed[];

    it('lets all hear each other, is controlled from any node, and continues when its owner node dies', {
      timeout: 90_000,
    }, async ({ onTestFailed }) => {
      onTestFailed(() => console.error(nodes.map((node) => node.log()).join('\n')));
      const [one, two, three] = nodes as [Service, Service, Service];
      const [anna, ben, cora] = [await cast.baresip('anna'), await cast.baresip('ben'), await cast.baresip('cora')];
      await anna.command('dial', `sip:7000@${one.sip}`);
      await until(async () => (await conferencesAt(one)).length === 1);
      await ben.command('dial', `sip:7000@${two.sip}`);
      await cora.command('dial', `sip:7000@${three.sip}`);
      await until(async () => (await conferencesAt(one))[0]?.participants.length === 3);
      // Every node reports the same single conference.
      expect([(await conferencesAt(two)).length, (await conferencesAt(three)).length]).toEqual([1, 1]);
      await talkFor(2500);
      // A request for the conference may go to any node.
      const { conference_id: id, participants } = (await conferencesAt(one))[0]!;
      const path = `/voice/v1/conference/${id}`;
      const benId = participants.find(({ from }) => from.includes('ben'))!.voice_id;
      expect(await three.api('PUT', `${path}/participant/${benId}`, { muted: true })).toMatchObject({ status: 200 });
      await talkFor(1500);
      expect(await two.api('PUT', `${path}/participant/${benId}`, { muted: false })).toMatchObject({ status: 200 });
      await one.kill();
      const killedMs = performance.now();
      await until(async () => {
        const [again] = await conferencesAt(two);
        return again?.participants.filter(({ state }) => state === 'joined').length === 2;
      }, WITHIN_MS);
      console.info(`in the conference again after ${Math.round(performance.now() - killedMs)} ms`);
      await talkFor(3000);
      expect(await three.api('GET', path)).toMatchObject({ status: 200, body: { conference_id: id, state: 'active' } });
      expect(await two.api('DELETE', path)).toMatchObject({ status: 200 });
      await Promise.all([ben, cora].map((phone) => phone.event('CALL_CLOSED')));
      await cast.stop();
      for (const [phone, name, others] of [
        [anna, 'anna', ['ben', 'cora']],
        [ben, 'ben', ['anna', 'cora']],
        [cora, 'cora', ['anna', 'ben']],
      ] as const) {
        const heard = heardBy(phone);
        expect(secondsOfTone(heard, TONE_HZ[name], TRACE), `${name} hears itself`).toBe(0);
        for (const other of others) {
          expect(secondsOfTone(heard, TONE_HZ[other], ONE_OF_TWO), `${name} hears ${other}`).toBeGreaterThan(1);
        }
      }
      // While Ben was muted, Cora heard only Anna. At the end only Ben and Cora are left.
      expect(secondsOfTone(heardBy(cora), TONE_HZ.anna)).toBeGreaterThan(0.8);
      const lastOf = (phone: typeof ben) => heardBy(phone).slice(-3 * RATE_HZ);
      expect(secondsOfTone(lastOf(ben), TONE_HZ.cora)).toBeGreaterThan(1.5);
      expect(secondsOfTone(lastOf(cora), TONE_HZ.ben)).toBeGreaterThan(1.5);
      // The edges of a tone have energy at all other frequencies, so a short false match is allowed.
      expect(secondsOfTone(lastOf(cora), TONE_HZ.anna, ONE_OF_TWO)).toBeLessThan(0.3);
    });
  },
);
