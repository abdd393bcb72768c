/**
 * Contract of every `RoomEngine` that carries media, tested with synthetic peers: routing, start and layer of media,
 * and decodability: pictures begin and change with key frames, sequence numbers have no gaps.
 */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { seededRandom } from '../../../src/base/core/ids.ts';
import { defined } from '../../../src/base/core/json.ts';
import type { EngineEvent } from '../../../src/media/rooms/sfu.ts';
import { CAMERA, People, SCREEN, SyntheticRoom, VOICE } from '../../rooms/peers/people.ts';
import { Relay } from '../../rooms/peers/relay.ts';
import type { RoomEngineHarness } from './engine.ts';

export interface MediaPlace {
  /** Local address of the synthetic peers and of the engine. */
  address: string;
  /** Basis of the layer choice: bandwidth estimates or packet loss of the subscribers. */
  adaptsTo: 'estimates' | 'loss';
  /** Number of NACKs for a lost packet: Janus sends one only. */
  asksFor: 'until it comes' | 'once';
}

const ALL_OF_IT = { audio: VOICE, video: CAMERA };
const TALKERS = { audio: VOICE };
const [HD, SD, LD] = [0, 1, 2];
/**
 * Limit for the share of losses that are not repaired. Of 100 packets, 5 are lost on each of two links. Without
 * retransmission, as many are missing from the first link as arrive late from the second; after one request, one in
 * 200.
 */
const MAX_GIVEN_UP = 1 / 4;
/** A network with a delay. */
const FAR = { delayMs: 15 };
const GONE = { loss: 1 };

export function runRoomMediaContract(make: () => RoomEngineHarness, { address, adaptsTo, asksFor }: MediaPlace): void {
  describe('room engine contract: media', () => {
    let harness: RoomEngineHarness;
    let people: People;
    const rooms = new Map<string, SyntheticRoom>();
    let restarted: () => void = () => undefined;

    beforeAll(async () => {
      harness = make();
      people = new People();
      await harness.engine.start({
        event: (confNum: string, event: EngineEvent) => rooms.get(confNum)?.event(event),
        restarted: () => restarted(),
      });
    });
    afterAll(async () => {
      await people?.stop();
      await harness?.engine.stop();
    });

    function open(quality: 'HD' | 'SD' | 'LD' = 'HD', relay?: Relay): SyntheticRoom {
      const confNum = String(1000 + rooms.size);
      const room = new SyntheticRoom(harness.engine, people, defined({ confNum, address, quality, relay }));
      rooms.set(confNum, room);
      return room;
    }

    async function twoPeople() {
      const room = open();
      const ada = await room.enter('ada', ALL_OF_IT);
      const ben = await room.enter('ben', ALL_OF_IT);
      room.setAudible(ada, ben);
      await ada.untilReceived(ben, 'audio');
      await ben.untilReceived(ada, 'video');
      return { room, ada, ben };
    }

    it('forwards published media to all others, without an echo', async () => {
      const { room, ada, ben } = await twoPeople();
      await ada.untilReceived(ben, 'video');
      await ben.untilReceived(ada, 'audio');
      expect(await ada.offered()).toEqual(['ben audio', 'ben video']);
      expect(await ben.offered()).toEqual(['ada audio', 'ada video']);
      const reported = room.events.filter(({ type }) => type === 'published' || type === 'connection');
      for (const participant of ['ada', 'ben']) {
        for (const direction of ['send', 'receive']) {
          expect(reported).toContainEqual({ type: 'connection', participant, direction, state: 'up' });
        }
        for (const source of ['audio', 'video']) {
          expect(reported).toContainEqual({ type: 'published', participant, source, on: true });
        }
      }
      const got = await ben.received(ada, 'video');
      expect(got).toMatchObject({ cleanChanges: true, timeWentBack: false, missing: 0 });
      room.send({ type: 'end' });
    });

    it('takes nothing that is not granted, and offers nothing to those who may not subscribe', async () => {
      const room = open();
      const ada = await room.enter('ada', ALL_OF_IT, { publish: ['audio'], subscribe: false });
      const ben = await room.enter('ben', ALL_OF_IT, { publish: [], subscribe: true });
      room.setAudible(ada, ben);
      await ben.untilReceived(ada, 'audio');
      expect(await ben.offered()).toEqual(['ada audio']);
      expect(await ada.offered()).toEqual([]);
      expect(room.events.filter((event) => event.type === 'published')).toEqual([
        { type: 'published', participant: 'ada', source: 'audio', on: true },
      ]);
      room.send({ type: 'end' });
    });

    it('requests a key frame for new participants soon after they join', async () => {
      const { room, ada, ben } = await twoPeople();
      const cleo = await room.enter('cleo');
      await Promise.all([ada, ben].map((each) => cleo.untilReceived(each, 'video', ({ keyFrames }) => keyFrames > 0)));
      for (const each of [ada, ben]) {
        const got = (await cleo.received(each, 'video'))!;
        expect(got.cleanChanges).toBe(true);
        expect(got.firstAfterMs).toBeLessThan(3000);
      }
      room.send({ type: 'end' });
    });

    it('forwards nothing of a muted source, and resumes with a key frame', async () => {
      const { room, ada, ben } = await twoPeople();
      room.send({ type: 'mute', participant: 'ada', source: 'video', muted: true });
      await ben.untilSilent(ada, 'video');
      await ben.untilReceived(ada, 'audio');
      const before = (await ben.received(ada, 'video'))!;
      room.send({ type: 'mute', participant: 'ada', source: 'audio', muted: true });
      room.send({ type: 'mute', participant: 'ada', source: 'video', muted: false });
      await ben.untilReceived(ada, 'video', ({ keyFrames }) => keyFrames > before.keyFrames);
      await ben.untilSilent(ada, 'audio');
      await ada.untilReceived(ben, 'audio');
      const got = (await ben.received(ada, 'video'))!;
      expect(got).toMatchObject({ missing: 0, timeWentBack: false, cleanChanges: true });
      room.send({ type: 'end' });
    });

    it('carries those who are audible, and screens in any case', async () => {
      const room = open();
      const ada = await room.enter('ada', { ...ALL_OF_IT, screen: SCREEN });
      const ben = await room.enter('ben');
      room.setAudible(ada);
      await ben.untilReceived(ada, 'video');
      await ben.untilReceived(ada, 'audio');
      expect(await ben.offered()).toEqual(['ada audio', 'ada screen', 'ada video']);
      room.setAudible(ben);
      await ben.untilSilent(ada, 'audio');
      await ben.untilSilent(ada, 'video');
      await ben.untilReceived(ada, 'screen');
      room.setAudible(ada);
      await ben.untilReceived(ada, 'audio');
      await ben.untilReceived(ada, 'video');
      expect(await ben.received(ada, 'video')).toMatchObject({ missing: 0, cleanChanges: true });
      room.send({ type: 'end' });
    });

    it('carries a screen as a source of its own, which comes and goes while the camera stays', async () => {
      const { room, ada, ben } = await twoPeople();
      for (let round = 0; round < 2; round++) {
        await ada.send({ ...ALL_OF_IT, screen: SCREEN });
        await ben.untilReceived(ada, 'screen');
        await ada.send(ALL_OF_IT);
        await room.until('the screen is gone', async () => !(await ben.offered()).includes('ada screen'));
        await ben.untilReceived(ada, 'video');
      }
      expect(room.events).toContainEqual({ type: 'published', participant: 'ada', source: 'screen', on: false });
      room.send({ type: 'end' });
    });

    it('forwards nothing to and from dropped participants, while the others continue', async () => {
      const { room, ada, ben } = await twoPeople();
      const cleo = await room.enter('cleo');
      await cleo.untilReceived(ada, 'audio');
      room.send({ type: 'drop', participant: 'ben' });
      await room.until('nobody is offered ben', async () => {
        const offered = [...(await ada.offered()), ...(await cleo.offered())];
        return offered.every((line) => !line.startsWith('ben'));
      });
      await ben.untilSilent(ada, 'audio');
      await cleo.untilReceived(ada, 'audio');
      await cleo.untilReceived(ada, 'video');
      room.send({ type: 'end' });
    });

    it('ends what is published when the floor is taken back, and takes it again when it is given', async () => {
      const { room, ada, ben } = await twoPeople();
      room.send({ type: 'grant', participant: 'ada', grants: { publish: [], subscribe: true } });
      await room.until('ben is offered nothing', async () => (await ben.offered()).length === 0);
      await ada.untilReceived(ben, 'audio');
      room.send({ type: 'grant', participant: 'ada', grants: { publish: ['audio', 'video'], subscribe: true } });
      await ada.send(ALL_OF_IT);
      await ben.untilReceived(ada, 'audio');
      await ben.untilReceived(ada, 'video');
      room.send({ type: 'end' });
    });

    it('reports which participants talk', async () => {
      const room = open();
      const ada = await room.enter('ada', { audio: { level: -80 } });
      const isSaid = (on: boolean) => () =>
        room.events.some((event) => event.type === 'talking' && event.participant === 'ada' && event.on === on);
      await room.until('she is connected', () => room.events.some(({ type }) => type === 'connection'));
      expect(isSaid(true)()).toBe(false);
      await ada.order({ type: 'level', level: -15 });
      await room.until('she talks', isSaid(true));
      await ada.order({ type: 'level', level: -80 });
      await room.until('she is quiet', isSaid(false));
      room.send({ type: 'end' });
    });

    it('requests a key frame when a subscriber asks for it', async () => {
      const { room, ada, ben } = await twoPeople();
      const { keyFrames } = (await ben.received(ada, 'video'))!;
      await room.until('it begins anew', async () => {
        await ben.order({ type: 'ask_key_frame', participant: 'ada', source: 'video' });
        return (await ben.received(ada, 'video'))!.keyFrames > keyFrames;
      });
      room.send({ type: 'end' });
    });

    it('asks for what is lost on the way to it, and sends again what is lost on the way from it', async () => {
      const relay = new Relay(address, seededRandom(7));
      onTestFinished(() => relay.stop());
      const room = open('HD', relay);
      const ada = await room.enter('ada', ALL_OF_IT);
      const ben = await room.enter('ben');
      room.setAudible(ada);
      relay.set({ up: FAR, down: FAR });
      await ben.untilReceived(ada, 'video');
      // As long as it takes to know how far away they are.
      await ben.untilReceived(ada, 'video', ({ packets }) => packets > 200);
      relay.set({ up: { ...FAR, loss: 0.05 }, down: { ...FAR, loss: 0.05 } });
      await ben.untilReceived(ada, 'video', ({ late }) => late > 20);
      relay.set({ up: FAR, down: FAR });
      const mostMissing = asksFor === 'once' ? MAX_GIVEN_UP : 0;
      await ben.untilReceived(ada, 'video', ({ missing, late }) => missing <= late * mostMissing);
      const got = (await ben.received(ada, 'video'))!;
      expect(got).toMatchObject({ cleanChanges: true });
      room.send({ type: 'end' });
    });

    it('restarts connections without incoming packets', async () => {
      const relay = new Relay(address);
      onTestFinished(() => relay.stop());
      const room = open('HD', relay);
      relay.set({ up: GONE, down: GONE });
      const ada = await room.enter('ada', TALKERS);
      await room.until('what ada sends is to come by another one', () =>
        room.events.some((event) => event.type === 'connection' && event.state === 'renewed'),
      );
      relay.set({});
      const ben = await room.enter('ben');
      room.setAudible(ada);
      await ben.untilReceived(ada, 'audio');
      expect(room.events).toContainEqual({ type: 'connection', participant: 'ada', direction: 'send', state: 'up' });
      room.send({ type: 'end' });
    });

    it('rejects malformed SDP without an effect on others, and lets its client try again', async () => {
      const { room, ada, ben } = await twoPeople();
      const cleo = await room.enter('cleo');
      for (const sdp of ['', 'nonsense', 'v=0\r\nm=video', `v=0\r\n${'m=video 9 x 96\r\n'.repeat(1000)}`]) {
        cleo.say({ type: 'pub.offer', sdp, sources: { 0: 'audio' } });
        cleo.say({ type: 'sub.answer', version: 1, sdp });
        cleo.say({ type: 'sub.answer', version: 99, sdp });
      }
      room.setAudible(ada, ben, cleo);
      await cleo.send(TALKERS);
      await Promise.all([ada, ben].map((each) => each.untilReceived(cleo, 'audio')));
      await ada.untilReceived(ben, 'video');
      room.send({ type: 'end' });
    });

    it('sends everything again to a subscriber who restarts', async () => {
      const { room, ada, ben } = await twoPeople();
      ben.say({ type: 'sub.restart' });
      await room.until('it came anew', async () => ((await ben.received(ada, 'video'))?.firstAfterMs ?? 0) > 0);
      await ben.untilReceived(ada, 'audio');
      await ben.untilReceived(ada, 'video');
      room.send({ type: 'end' });
    });

    it('samples how good links are', { timeout: 20_000 }, async () => {
      const { room } = await twoPeople();
      const samples = () => room.events.flatMap((event) => (event.type === 'stats' ? event.samples : []));
      const has = (direction: string, source: string) => () =>
        samples().some((one) => one.direction === direction && one.source === source && one.bitsPerSecond > 1000);
      for (const direction of ['send', 'receive']) {
        for (const source of ['audio', 'video']) await room.until(`${direction} ${source}`, has(direction, source));
      }
      expect(samples().every(({ lost }) => lost >= 0 && lost < 0.05)).toBe(true);
      room.send({ type: 'end' });
    });

    it('sends no subscriber more than the quality of the room', async ({ skip }) => {
      skip(!harness.engine.capabilities.simulcast, 'the engine carries one layer');
      for (const [quality, layer] of [
        ['SD', SD],
        ['LD', SD],
      ] as const) {
        const room = open(quality);
        const ada = await room.enter('ada', ALL_OF_IT);
        const ben = await room.enter('ben');
        room.setAudible(ada);
        await ben.untilReceived(ada, 'video', (got) => got.layer === layer && got.frames > 20);
        room.send({ type: 'end' });
      }
    });

    it('carries the layer that a viewer wishes, without a gap, and nothing of those it does not want to see', async ({
      skip,
    }) => {
      skip(!harness.engine.capabilities.simulcast, 'the engine carries one layer');
      const { room, ada, ben } = await twoPeople();
      const cleo = await room.enter('cleo');
      const wish = (layer: 'HD' | 'SD' | 'LD' | 'off') =>
        room.send({ type: 'set_layer', participant: 'ben', publisher: 'ada', layer });
      await ben.untilReceived(ada, 'video', ({ layer }) => layer === HD);
      for (const [name, index] of [
        ['LD', LD],
        ['SD', SD],
        ['LD', LD],
        ['HD', HD],
      ] as const) {
        wish(name);
        await ben.untilReceived(ada, 'video', ({ layer }) => layer === index);
      }
      wish('off');
      await ben.untilSilent(ada, 'video');
      await ben.untilReceived(ada, 'audio');
      await cleo.untilReceived(ada, 'video', ({ layer }) => layer === HD);
      wish('SD');
      await ben.untilReceived(ada, 'video', ({ layer }) => layer === SD);
      expect(await ben.received(ada, 'video')).toMatchObject({ missing: 0, cleanChanges: true, timeWentBack: false });
      room.send({ type: 'end' });
    });

    it('shows a viewer whose link carries less a lower layer within seconds, and lets it hear', async () => {
      const relay = adaptsTo === 'loss' ? new Relay(address) : undefined;
      onTestFinished(() => relay?.stop());
      const room = open('HD', relay);
      const ada = await room.enter('ada', ALL_OF_IT);
      const ben = await room.enter('ben');
      room.setAudible(ada);
      await ben.untilReceived(ada, 'video', ({ layer }) => layer === HD);
      if (relay) relay.set({ up: {}, down: { bitsPerSecond: 300_000 } });
      else await ben.order({ type: 'estimate', bitsPerSecond: 250_000 });
      await ben.untilReceived(ada, 'video', ({ layer }) => layer !== HD, relay ? 6000 : 3000);
      const before = (await ben.received(ada, 'audio'))!;
      await ben.untilReceived(ada, 'audio', ({ packets }) => packets > before.packets + 20, 4000);
      // By estimates it is done before anything is lost.
      if (!relay) {
        expect(await ben.received(ada, 'audio')).toMatchObject({ missing: 0 });
        // Pictures that would wait for long, as on a busy machine, are thrown away.
        expect(await ben.received(ada, 'video')).toMatchObject({ cleanChanges: true });
      }
      room.send({ type: 'end' });
    });

    it('carries media again after a restart, once the service has admitted all again', async () => {
      const { room } = await twoPeople();
      const again = new Promise<void>((resolve) => (restarted = resolve));
      harness.kill();
      await again;
      const { confNum } = room;
      const next = new SyntheticRoom(harness.engine, people, { confNum, address });
      rooms.set(confNum, next);
      const ada = await next.enter('ada again', ALL_OF_IT);
      const ben = await next.enter('ben again');
      next.setAudible(ada);
      await ben.untilReceived(ada, 'audio');
      await ben.untilReceived(ada, 'video');
      next.send({ type: 'end' });
    });
  });
}
