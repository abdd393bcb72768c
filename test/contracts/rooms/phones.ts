/**
 * Contract of every `RoomEngine` that accepts telephones: the test plays the mix of the telephones, and synthetic peers
 * are the browsers.
 */
import { createSocket } from 'node:dgram';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type EngineEvent, PHONES } from '../../../src/media/rooms/sfu.ts';
import { LOOPBACK, type MixAddress, readFrame, writeFrame } from '../../../src/media/toolbox/audio/mix-frame.ts';
import { FRAME_SAMPLES } from '../../../src/media/toolbox/audio/sample-rate.ts';
import type { Reception } from '../../rooms/peers/peer-messages.ts';
import { People, type SyntheticPerson, SyntheticRoom, VOICE } from '../../rooms/peers/people.ts';
import type { RoomEngineHarness } from './engine.ts';
import type { MediaPlace } from './media.ts';

/** The mix of the telephones: for each frame that it is sent it answers with one. */
export async function openMix() {
  const key = Buffer.alloc(16, 0xa5);
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, LOOPBACK, resolve));
  const answer = new Int16Array(FRAME_SAMPLES);
  let loud = 0;
  let quiet = 0;
  socket.on('message', (bytes, { port }) => {
    const frame = readFrame(key, bytes);
    if (!frame) return;
    if (frame.some((sample) => sample !== 0)) {
      loud++;
      quiet = 0;
    } else quiet++;
    socket.send(writeFrame(key, answer), port, LOOPBACK);
  });
  const at: MixAddress = { port: socket.address().port, key: key.toString('hex') };
  return {
    at,
    /** Amplitude of the telephones from now on; 0 is silence. */
    say(amplitude: number): void {
      for (let index = 0; index < FRAME_SAMPLES; index++) answer[index] = amplitude * Math.sin(index / 3);
    },
    async untilHeard(): Promise<void> {
      const before = loud;
      await expect.poll(() => loud, { timeout: 10_000 }).toBeGreaterThan(before + 10);
    },
    untilSilent: () => expect.poll(() => quiet, { timeout: 10_000 }).toBeGreaterThan(20),
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

export function runRoomPhonesContract(make: () => RoomEngineHarness, { address }: MediaPlace): void {
  describe('room engine contract: telephones', () => {
    let harness: RoomEngineHarness;
    let people: People;
    let room: SyntheticRoom;
    let restarted: () => void = () => undefined;

    beforeAll(async () => {
      harness = make();
      people = new People();
      await harness.engine.start({
        event: (_confNum: string, event: EngineEvent) => room.event(event),
        restarted: () => restarted(),
      });
    });
    afterAll(async () => {
      await people?.stop();
      await harness?.engine.stop();
    });

    async function open(confNum: string) {
      room = new SyntheticRoom(harness.engine, people, { confNum, address });
      const mix = await openMix();
      onTestFinished(() => mix.close());
      return mix;
    }

    /** Packets of the telephones that the participant received. */
    const packets = async (who: SyntheticPerson): Promise<number> => {
      const { media } = await who.order<{ media: Reception[] }>({ type: 'received' });
      return media.find(({ participant }) => participant === PHONES)?.packets ?? 0;
    };
    const untilHears = async (who: SyntheticPerson): Promise<void> => {
      const before = await packets(who);
      await expect.poll(() => packets(who), { timeout: 10_000 }).toBeGreaterThan(before + 10);
    };

    it('brings audible browsers to telephones, and telephones to all browsers, as one source', async () => {
      const mix = await open('900');
      const ada = await room.enter('ada', { audio: VOICE });
      room.setAudible(ada);
      room.send({ type: 'attach_phones', at: mix.at });
      await mix.untilHeard();
      room.send({ type: 'mute', participant: 'ada', source: 'audio', muted: true });
      await mix.untilSilent();
      const ben = await room.enter('ben', { audio: VOICE });
      room.setAudible(ada, ben);
      await mix.untilHeard();
      room.setAudible(ada);
      await mix.untilSilent();
      mix.say(8000);
      await Promise.all([untilHears(ada), untilHears(ben)]);
      expect(await ada.offered()).toEqual(['ben audio', `${PHONES} audio`]);
      room.send({ type: 'detach_phones' });
      await room.until('takes the telephones back', async () => (await ben.offered()).join() === 'ada audio');
      room.send({ type: 'end' });
    });

    it('takes them again where their mix is at another place, and after it died', async () => {
      const [mix, other] = [await open('901'), await openMix()];
      onTestFinished(() => other.close());
      const ada = await room.enter('ada', { audio: VOICE });
      room.setAudible(ada);
      room.send({ type: 'attach_phones', at: mix.at });
      await mix.untilHeard();
      room.send({ type: 'attach_phones', at: other.at });
      await other.untilHeard();
      other.say(8000);
      await untilHears(ada);
      const again = new Promise<void>((resolve) => {
        restarted = resolve;
      });
      harness.kill();
      await again;
      harness.engine.openSession({ confNum: '901', quality: 'HD' });
      const ben = await room.enter('ben', { audio: VOICE });
      room.setAudible(ben);
      room.send({ type: 'attach_phones', at: other.at });
      await Promise.all([other.untilHeard(), untilHears(ben)]);
      room.send({ type: 'end' });
    });
  });
}
