/** Valid settings of a room by its type, and the times at which it is open. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { isBeyond } from '../../src/media/rooms/room-rules.ts';
import { roomRig } from './room-fixtures.ts';

const START = '2026-03-03 09:00:00';
const START_MS = Date.parse('2026-03-03T09:00:00Z');
const MINUTE_MS = 60_000;
const SCHEDULED = { scheduled: true, scheduled_time: START, duration: 60 };
const ADHOC = { adhoc: true };

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return String((error as { code?: string }).code ?? error);
  }
  return 'taken';
};

describe('settings', () => {
  it.each<[settings: JsonObject, code: string]>([
    [{}, 'taken'],
    [{ scheduled: true, adhoc: true }, 'room_adhoc_invalid'],
    [{ scheduled: true, duration: 60 }, 'room_time_missing'],
    [{ scheduled: true, scheduled_time: START }, 'room_duration_invalid'],
    [SCHEDULED, 'taken'],
    [{ ...SCHEDULED, scheduled_time: '2026-03-03T09:00:00Z' }, 'room_time_malformed'],
    [{ ...SCHEDULED, scheduled_time: '2026-02-30 09:00:00' }, 'room_time_malformed'],
    [{ ...SCHEDULED, scheduled_time: '2026-03-02 08:29:59' }, 'room_time_past'],
    [{ ...SCHEDULED, duration: 9 }, 'room_duration_invalid'],
    [{ ...SCHEDULED, participants: 300 }, 'taken'],
    [{ ...SCHEDULED, participants: 301 }, 'room_participants_invalid'],
    [{ ...SCHEDULED, mode: 'lecture', participants: 1000 }, 'taken'],
    [{ ...SCHEDULED, mode: 'lecture', participants: 1001 }, 'room_participants_invalid'],
    [{ scheduled_time: START }, 'room_setting_misplaced'],
    [{ duration: 60 }, 'taken'],
    [{ ...ADHOC, scheduled_time: START }, 'room_setting_misplaced'],
    [{ ...ADHOC, duration: 60 }, 'taken'],
    [{ participants: 100 }, 'taken'],
    [{ participants: 101 }, 'room_participants_invalid'],
    [{ participants: 200, max_active_talkers: 8 }, 'taken'],
    [{ participants: 201, max_active_talkers: 8 }, 'room_participants_invalid'],
    [{ participants: 2, moderators: 2 }, 'taken'],
    [{ participants: 2, moderators: 3 }, 'room_moderators_invalid'],
    [{ moderators: 101 }, 'room_moderators_invalid'],
  ])('are validated for the type of room: %j gives %s', (settings, code) => {
    const rig = roomRig();
    expect(codeOf(() => rig.room(settings))).toBe(code);
  });

  it('keeps the quality within the maximum of rooms, which is also the default', () => {
    expect(roomRig().room().settings.quality).toBe('HD');
  });
});

describe('a change', () => {
  it.each<JsonObject>([{ mode: 'lecture' }, { scheduled: true }, { adhoc: true }])(
    'is refused for another type: %j',
    (change) => {
      const rig = roomRig();
      const { roomId } = rig.room();
      expect(codeOf(() => rig.rooms.change('shop', roomId, { settings: change }))).toBe('room_type_fixed');
    },
  );

  it('changes the named settings, and is validated with all others', () => {
    const rig = roomRig();
    const { roomId } = rig.room({ participants: 10, role_based_recording: { moderator: 'audio' } });
    const settings = { mode: 'group', participants: 12, role_based_recording: { participant: 'audio' } };
    const changed = rig.rooms.change('shop', roomId, { name: 'Weekly', settings });
    expect(changed).toMatchObject({ name: 'Weekly', ownerRef: 'acme', settings: { participants: 12, knock: false } });
    expect(changed.settings.role_based_recording).toEqual({ moderator: 'audio', participant: 'audio' });
    expect(rig.rooms.find('shop', roomId)).toEqual(changed);
    expect(codeOf(() => rig.rooms.change('shop', roomId, { settings: { participants: 101 } }))).toBe(
      'room_participants_invalid',
    );
    expect(rig.rooms.find('shop', roomId).settings.participants).toBe(12);
  });

  it('is accepted for a scheduled room until 30 minutes before its time', async () => {
    const rig = roomRig();
    const { roomId } = rig.room(SCHEDULED);
    await rig.clock.advanceTo(START_MS - 30 * MINUTE_MS);
    rig.rooms.change('shop', roomId, { name: 'In time' });
    await rig.clock.advance(1);
    expect(codeOf(() => rig.rooms.change('shop', roomId, { name: 'Late' }))).toBe('room_active');
    expect(rig.rooms.find('shop', roomId).name).toBe('In time');
  });

  it('assigns and removes the dial-in numbers of telephones', () => {
    const rig = roomRig();
    const { roomId } = rig.room();
    const { sip } = rig.rooms.change('shop', roomId, { sip: true });
    expect(sip).toEqual({
      pin: expect.stringMatching(/^[1-9]\d{5}$/),
      meetingId: expect.stringMatching(/^[1-9]\d{8}$/),
    });
    expect(rig.rooms.withPin('shop', sip!.pin)?.roomId).toBe(roomId);
    expect(rig.rooms.change('shop', roomId, { name: 'same' }).sip).toEqual(sip);
    expect(rig.rooms.change('shop', roomId, { sip: false }).sip).toBeUndefined();
    expect(rig.rooms.withPin('shop', sip!.pin)).toBeUndefined();
  });
});

describe('a scheduled room', () => {
  it.each([
    [START_MS - 30 * MINUTE_MS - 1, 'room_not_open'],
    [START_MS - 30 * MINUTE_MS, 'taken'],
    [START_MS + 60 * MINUTE_MS - 1, 'taken'],
    [START_MS + 60 * MINUTE_MS, 'room_over'],
  ])('answers at %i ms for a token: %s', async (atMs, code) => {
    const rig = roomRig();
    const room = rig.room(SCHEDULED);
    await rig.clock.advanceTo(atMs);
    expect(codeOf(() => rig.token(room))).toBe(code);
  });

  it('stays open beyond its duration while a participant is in', async () => {
    const rig = roomRig();
    const room = rig.room(SCHEDULED);
    await rig.clock.advanceTo(START_MS);
    const client = rig.join(room);
    await rig.clock.advance(61 * MINUTE_MS);
    expect(codeOf(() => rig.token(room))).toBe('taken');
    client.say({ type: 'leave' });
    expect(codeOf(() => rig.token(room))).toBe('room_over');
  });
});

describe('a room for 16 people who all see and hear each other', () => {
  it.each<[participants: number | undefined, talkers: number, isBeyond: boolean]>([
    [undefined, 16, false],
    [16, 16, false],
    [17, 16, true],
    [64, 4, false],
    [100, 3, true],
    [4, 16, false],
  ])('is exceeded by %s participants of whom %d are heard at once: %s', (participants, talkers, expected) => {
    const settings = { ...(participants === undefined ? {} : { participants }), max_active_talkers: talkers };
    expect(isBeyond(settings as Parameters<typeof isBeyond>[0], 16)).toBe(expected);
  });
});
