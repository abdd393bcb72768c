/**
 * Telephones and browsers in one room: two real phones and two pages of Chromium, each with its own tone. The received
 * audio of each is analysed: all others, and not itself. Skipped, with the reason, if a program is missing.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as talkFor } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import type { Softphone } from './baresip.ts';
import { browser } from './browser.ts';
import { castAt, heardBy, PHONE_ADDRESS, TONE_HZ } from './cast.ts';
import { engineOf, type Person, startCrowd } from './rooms-page.ts';
import { type Service, startService } from './service.ts';
import { secondsOfTone } from './sound.ts';

const ADDRESS = '127.0.0.186';
const SITE_PORT = 9186;
const cast = castAt(15_700);
/** Of pages. */
const ADA_HZ = 300;
const EVE_HZ = 1300;
const ALL_HZ = [ADA_HZ, EVE_HZ, TONE_HZ.ben, TONE_HZ.cora];
/** With three tones at once, each has about a third of the energy. */
const ONE_OF_THREE = 0.15;
const TRACE = 0.03;

const FLOW = `
flow: to-room
start: room
defaults: { exits: { error: bye } }
steps:
  room: { join_room: { room_id: daily, pin: "4711" }, exits: { left: bye, ended: bye, denied: bye } }
  bye: { hangup: normal }
`;

const DIAL_IN = `
flow: dial-in
start: ask
defaults: { exits: { error: bye } }
steps:
  ask: { collect: { prompt: Your PIN please., digits: { length: 6 } }, exits: { collected: room, exhausted: bye } }
  room: { join_room: { pin: "\${ steps.ask.digits }" }, exits: { left: bye, ended: bye, denied: ask } }
  bye: { hangup: normal }
`;

const softphone = program('baresip');

describe.skipIf(browser.missing || softphone.missing)(`telephones in a room${browser.why}${softphone.why}`, () => {
  let service: Service;
  let crowd: Awaited<ReturnType<typeof startCrowd>>;

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-room-phones-')),
      address: ADDRESS,
      http: { cors_origins: [`http://${ADDRESS}:${SITE_PORT}`] },
      sip: { allow_sip_uris: [PHONE_ADDRESS] },
      more: { rooms: [{ room_id: 'daily', name: 'Daily', pin: '4711' }] },
      numbers: [
        { number: '7200', flow: 'to-room' },
        { number: '7201', flow: 'dial-in' },
      ],
      flows: { 'to-room.flow.yaml': FLOW, 'dial-in.flow.yaml': DIAL_IN },
    });
    crowd = await startCrowd(service, ADDRESS, SITE_PORT);
  });
  afterAll(async () => {
    await crowd?.close();
    await cast.stop();
    expect(await service?.stop(), service?.log()).toBe(0);
  });

  const enter = async (role: string, tone: number, room = 'daily'): Promise<Person> => {
    const { body } = await service.api('POST', `/video/v2/rooms/${room}/tokens`, { name: role, role, user_ref: role });
    return crowd.person(String(body['token']), { tone });
  };
  const users = async (): Promise<Record<string, unknown>[]> => {
    const { body } = await service.api('GET', '/video/v2/rooms/daily/users');
    return (body['users'] ?? []) as Record<string, unknown>[];
  };
  /** Waits until the participant receives exactly these tones from the telephones. */
  const untilPhones = (who: Person, hertz: readonly number[], withinMs?: number): Promise<number> =>
    who.until(
      `hears ${hertz.join(' and ')} of telephones`,
      async () => JSON.stringify((await who.tones(ALL_HZ))['phones']) === JSON.stringify(hertz),
      withinMs,
    );

  it('exchanges audio with browsers and other phones, without an echo', { timeout: 60_000 }, async () => {
    const [ben, cora]: Softphone[] = await Promise.all([cast.baresip('ben'), cast.baresip('cora')]);
    await ben!.command('dial', `sip:7200@${service.sip}`);
    await ben!.event('CALL_ESTABLISHED');
    const order = { from: '7200', to: cast.uri('cora'), display_name: 'Cora' };
    expect(await service.api('POST', '/voice/v1/room/daily/join', order)).toMatchObject({ status: 200 });
    await cora!.event('CALL_ESTABLISHED');
    await talkFor(2500);
    // A room with phones only does not start the engine process for browsers.
    expect(engineOf(service.pid)).toBeUndefined();

    const ada = await enter('moderator', ADA_HZ);
    const eve = await enter('participant', EVE_HZ);
    await untilPhones(ada, [TONE_HZ.ben, TONE_HZ.cora]);
    expect(await ada.tones(ALL_HZ)).toEqual({ phones: [TONE_HZ.ben, TONE_HZ.cora], [eve.id]: [EVE_HZ] });
    expect(await eve.tones(ALL_HZ)).toEqual({ phones: [TONE_HZ.ben, TONE_HZ.cora], [ada.id]: [ADA_HZ] });
    const [welcome] = await eve.messages('welcome');
    const phones = (welcome!['participants'] as { id: string; name: string; phone: boolean }[]).filter(
      (one) => one.phone,
    );
    expect(phones).toHaveLength(2);
    const coraId = phones.find(({ name }) => name === 'Cora')!.id;
    const benId = phones.find(({ id }) => id !== coraId)!.id;
    await eve.until('sees that both telephones talk', async () => {
      const talking = (await eve.messages('talking')).map(({ participants }) => participants as string[]);
      return talking.some((ids) => ids.includes(coraId) && ids.includes(benId));
    });
    await talkFor(1500);

    await ada.say({ type: 'mute_user', participant: benId, source: 'audio', muted: true, hard: true });
    await untilPhones(eve, [TONE_HZ.cora]);
    await ada.say({ type: 'mute_user', participant: benId, source: 'audio', muted: false });
    await untilPhones(eve, [TONE_HZ.ben, TONE_HZ.cora]);

    process.kill(engineOf(service.pid)!, 'SIGKILL');
    await ada.until('is told', async () => (await ada.messages('media_restarted')).length > 0, 5000);
    await untilPhones(ada, [TONE_HZ.ben, TONE_HZ.cora], 5000);

    // Its flow continues, and hangs up.
    await ada.say({ type: 'drop', participant: benId });
    await ben!.event('CALL_CLOSED');
    await untilPhones(ada, [TONE_HZ.cora]);
    expect(await users()).toHaveLength(3);
    await cora!.command('hangup');
    await ada.until('hears no telephone', async () => (await ada.tones(ALL_HZ))['phones'] === undefined);
    await ada.say({ type: 'end' });
    await cast.stop();

    for (const [phone, own, other] of [
      [ben, TONE_HZ.ben, TONE_HZ.cora],
      [cora, TONE_HZ.cora, TONE_HZ.ben],
    ] as const) {
      const heard = heardBy(phone!);
      expect(secondsOfTone(heard, own, TRACE), `${own} Hz hears itself`).toBe(0);
      expect(secondsOfTone(heard, other), `${own} Hz hears ${other} Hz, before browsers come`).toBeGreaterThan(1);
      for (const hertz of [ADA_HZ, EVE_HZ, other]) {
        expect(secondsOfTone(heard, hertz, ONE_OF_THREE), `${own} Hz hears ${hertz} Hz`).toBeGreaterThan(1.5);
      }
    }
  });

  it('admits a phone by PIN, and forwards its audio in a lecture while it has the floor', {
    timeout: 60_000,
  }, async () => {
    const order = { name: 'Lecture', owner_ref: 'acme', settings: { mode: 'lecture' }, sip: { enabled: true } };
    const { body } = await service.api('POST', '/video/v2/rooms', order);
    const { room_id: room, sip } = body['room'] as { room_id: string; sip: { pin: string | number } };
    const ada = await enter('moderator', ADA_HZ, room);
    const ben = await cast.baresip('ben');
    await ben.command('dial', `sip:7201@${service.sip}`);
    await ben.event('CALL_ESTABLISHED');
    for (const digit of String(sip.pin)) await ben.command('sndcode', digit);
    await ada.until('sees the telephone', async () => (await ada.messages('joined')).length > 0, 20_000);
    const [joined] = await ada.messages('joined');
    const { id, phone } = joined!['participant'] as { id: string; phone: boolean };
    expect(phone).toBe(true);
    await talkFor(500);
    expect((await ada.tones(ALL_HZ))['phones'] ?? []).toEqual([]);
    await ada.say({ type: 'floor', participant: id, given: true });
    await untilPhones(ada, [TONE_HZ.ben]);
    await ada.say({ type: 'floor', participant: id, given: false });
    await ada.until('hears it no more', async () => ((await ada.tones(ALL_HZ))['phones'] ?? []).length === 0);
    await ada.say({ type: 'end' });
    await ben.event('CALL_CLOSED');
    await cast.stop();
  });
});
