/** When the engine and the telephone mix are opened, and which telephones are audible. */
import { describe, expect, it } from 'vitest';
import type { PhoneSound } from '../../src/media/rooms/phone-sound.ts';
import { enterByPhone } from '../../src/media/rooms/phones.ts';
import type { VideoRoom } from '../../src/media/rooms/room.ts';
import { PHONES } from '../../src/media/rooms/sfu.ts';
import type { MixAddress } from '../../src/media/toolbox/audio/mix-frame.ts';
import { roomRig } from './room-fixtures.ts';

const AT: MixAddress = { port: 5, key: 'ab' };

/** Sound of telephones that a test plays. */
class TestSound implements PhoneSound {
  /** Mixes that are open now. */
  readonly mixes: string[] = [];
  readonly heard = new Map<string, boolean>();
  readonly #talkers = new Map<string, (on: boolean) => void>();
  moved: (at: MixAddress) => void = () => undefined;

  openMix(mixId: string, opened: (address: MixAddress) => void) {
    this.mixes.push(mixId);
    this.moved = opened;
    opened(AT);
    return { close: () => void this.mixes.splice(this.mixes.indexOf(mixId), 1) };
  }

  watchTalker(legId: string, talking: (on: boolean) => void) {
    this.#talkers.set(legId, talking);
    return {
      setHeard: (heard: boolean) => void this.heard.set(legId, heard),
      close: () => {
        this.#talkers.delete(legId);
        this.heard.delete(legId);
      },
    };
  }

  talk(legId: string, on: boolean): void {
    this.#talkers.get(legId)?.(on);
  }

  get watched(): string[] {
    return [...this.#talkers.keys()];
  }
}

function phoneRig(settings = {}) {
  const sound = new TestSound();
  const rig = roomRig({ sound });
  const room = rig.room(settings);
  const { engine, sessions } = rig;
  const visit = { waits() {}, isIn() {}, counts() {}, isMuted() {}, hasHand() {}, isRefused() {}, isOut() {} };
  return {
    ...{ ...rig, sound, room },
    phone: (legId: string, { roomId }: VideoRoom = room) =>
      enterByPhone(sessions, { projectId: 'shop', roomId, name: legId, callId: `call of ${legId}`, legId }, visit),
    idOf: (legId: string) => sessions.usersIn('shop', room.roomId)!.find(({ name }) => name === legId)!.id,
    commands: (...types: string[]) =>
      engine.commands.map(({ command }) => command).filter(({ type }) => types.length === 0 || types.includes(type)),
  };
}

describe('telephones', () => {
  it('are mixed without an engine, which gets all of them when the first browser joins', () => {
    const rig = phoneRig();
    const [gone] = [rig.phone('gone'), rig.phone('one'), rig.phone('two')];
    gone!.leave();
    expect([rig.engine.listSessions(), rig.commands(), rig.sound.mixes]).toEqual([[], [], []]);
    expect(rig.sound.heard).toEqual(
      new Map([
        ['one', true],
        ['two', true],
      ]),
    );
    const ada = rig.join(rig.room, 'moderator');
    expect(rig.engine.listSessions()).toHaveLength(1);
    expect(rig.commands('admit')).toMatchObject([
      { participant: rig.idOf('one'), isPhone: true },
      { participant: rig.idOf('two'), isPhone: true },
      { participant: ada.id, isPhone: false },
    ]);
    expect(rig.commands('set_audible').at(-1)).toMatchObject({ participants: expect.arrayContaining([ada.id]) });
    expect([rig.commands('attach_phones'), rig.sound.mixes]).toEqual([
      [{ type: 'attach_phones', at: AT }],
      [`room shop ${rig.room.roomId}`],
    ]);
  });

  it('are announced as muted or with the floor to an engine that is opened later', () => {
    const rig = phoneRig({ mode: 'lecture' });
    rig.phone('one');
    const session = rig.sessions.find('shop', rig.room.roomId)!;
    const one = session.find(rig.idOf('one'))!;
    session.setFloor(one, true);
    session.mute(one, 'audio', { muted: true });
    session.mute(one, 'audio', { muted: false });
    session.mute(one, 'audio', { muted: true, hard: true });
    rig.join(rig.room, 'moderator');
    expect(rig.commands('admit', 'grant', 'mute').slice(0, 2)).toMatchObject([
      { type: 'admit', grants: { publish: ['audio', 'video', 'screen'] } },
      { type: 'mute', muted: true },
    ]);
  });

  it('are recorded together without a browser', () => {
    const rig = phoneRig();
    rig.phone('one');
    const session = rig.sessions.find('shop', rig.room.roomId)!;
    session.recording.set(true);
    expect(rig.engine.listSessions()).toEqual([session.confNum]);
    expect(rig.commands('record')).toMatchObject([{ on: true, sources: { [PHONES]: ['audio'] } }]);
    expect(rig.commands('attach_phones')).toHaveLength(1);
  });

  it('are mixed from the first to the last of them', () => {
    const rig = phoneRig();
    rig.join(rig.room, 'moderator');
    expect([rig.commands('attach_phones'), rig.sound.mixes]).toEqual([[], []]);
    const phones = [rig.phone('one'), rig.phone('two')];
    phones[0]!.leave();
    expect(rig.commands('attach_phones', 'detach_phones').map(({ type }) => type)).toEqual(['attach_phones']);
    phones[1]!.leave();
    expect(rig.commands('detach_phones')).toHaveLength(1);
    expect([rig.sound.mixes, rig.sound.watched]).toEqual([[], []]);
    rig.phone('three');
    expect([rig.commands('attach_phones').length, rig.sound.mixes.length]).toEqual([2, 1]);
  });

  it('are removed completely when the session ends', () => {
    const rig = phoneRig();
    const ada = rig.join(rig.room, 'moderator');
    rig.phone('one');
    ada.say({ type: 'end' });
    expect([rig.sound.mixes, rig.sound.watched, rig.engine.listSessions()]).toEqual([[], [], []]);
    expect(rig.commands().at(-1)).toEqual({ type: 'end' });
  });

  it('are connected again after the engine died, or if their mix moved', () => {
    const rig = phoneRig();
    rig.join(rig.room, 'moderator');
    rig.phone('one');
    rig.engine.commands.length = 0;
    rig.engine.die();
    expect(rig.commands('attach_phones')).toEqual([{ type: 'attach_phones', at: AT }]);
    const other = { port: 6, key: 'cd' };
    rig.sound.moved(other);
    expect(rig.commands('attach_phones').at(-1)).toEqual({ type: 'attach_phones', at: other });
  });

  it('are not opened without a browser in an engine that died', () => {
    const rig = phoneRig();
    rig.phone('one');
    rig.engine.die();
    expect([rig.engine.listSessions(), rig.commands()]).toEqual([[], []]);
  });

  it('are among the talkers, and are heard only while they are audible', () => {
    const rig = phoneRig({ max_active_talkers: 1 });
    const ada = rig.join(rig.room, 'moderator');
    rig.phone('one');
    const id = rig.idOf('one');
    expect(rig.sound.heard.get('one')).toBe(false);
    rig.sound.talk('one', true);
    expect(ada.last('talking')).toMatchObject({ participants: [id] });
    expect(rig.sound.heard.get('one')).toBe(true);
    expect(rig.commands('set_audible').at(-1)).toMatchObject({ participants: [id] });
    rig.sound.talk('one', false);
    rig.engine.report(rig.sessions.find('shop', rig.room.roomId)!.confNum, {
      ...{ type: 'talking', participant: ada.id, on: true },
    });
    expect(rig.sound.heard.get('one')).toBe(false);
  });
});
