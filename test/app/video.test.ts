/** Events of video rooms for applications: sent to the `video_webhook` of the project, in order per session. */
import { expect, it } from 'vitest';
import { createVideo } from '../../src/app/video.ts';
import { countingIds, seededRandom } from '../../src/base/core/ids.ts';
import type { JsonObject } from '../../src/base/core/json.ts';
import type { RoomRole } from '../../src/media/rooms/room.ts';
import { SimulatedRoomEngine } from '../../src/media/rooms/simulated-engine.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { createMemoryStore } from '../memory-store.ts';
import { newRoom, TestClient } from '../rooms/room-fixtures.ts';

const URL = 'https://shop.example/rooms';

function videoRig(videoWebhook?: string) {
  const store = createMemoryStore();
  const lines: string[] = [];
  const log = { info: (message: string) => lines.push(message), error: (message: string) => lines.push(message) };
  const base = {
    ...{
      clock: new VirtualClock(),
      ids: countingIds(),
      random: seededRandom(1),
      log,
      state: { closers: [], drain: 'open' },
    },
    config: { video: { iceServers: [] } },
    directory: 'data',
  };
  const project = { projectId: 'shop', webhookSecret: 'whsec_x', videoWebhook };
  const video = createVideo({
    base: base as never,
    storage: { store } as never,
    provisioning: { projects: { find: () => project, webhookSecretsOf: () => ['whsec_x'] }, rooms: () => [] } as never,
    engine: new SimulatedRoomEngine(),
  });
  const join = (roomId: string, role: RoomRole): TestClient => {
    const token = video.sessions.issueToken('shop', { roomId, role, name: role, userRef: `ref of ${role}` });
    return new TestClient(video.sessions).say({ type: 'join', token });
  };
  const told = async (confNum: string) =>
    (await store.outbox.headOfLine(confNum, 99)).map(({ body }) => JSON.parse(body) as JsonObject);
  return { ...video, store, lines, join, told };
}

it('reports the beginning of a session, its recording, its audience and its end', async () => {
  const rig = videoRig(URL);
  const { roomId } = rig.rooms.create('shop', newRoom({ audiences: 2, send_audiences_stats: true }));
  const ada = rig.join(roomId, 'moderator');
  const { confNum } = rig.sessions.find('shop', roomId)!;
  ada.say({ type: 'record', on: true });
  rig.join(roomId, 'audience').say({ type: 'leave' });
  ada.say({ type: 'end' });
  await rig.store.outbox.add([]);
  const envelope = { app_id: 'shop', room_id: roomId, conf_num: confNum, trans_date: expect.any(String) };
  const person = (role: string) => ({
    ...{ name: role, user_ref: `ref of ${role}`, role, call_num: expect.any(String), sip: false },
  });
  const user = person('audience');
  expect(await rig.told(confNum)).toEqual(
    [
      { type: 'room-active' },
      { type: 'user-connected', user: person('moderator') },
      { type: 'recording', state: 'started' },
      { type: 'user-connected', user },
      { type: 'user-disconnected', user, reason: 'left' },
      { type: 'recording', state: 'stopped' },
      { type: 'user-disconnected', user: person('moderator'), reason: 'ended' },
      { type: 'room-drop' },
    ].map((event) => ({ ...envelope, ...event, timestamp: expect.any(String) })),
  );
  expect(await rig.store.outbox.headOfLine(confNum, 1)).toMatchObject([{ projectId: 'shop', url: URL }]);
});

it('is silent about the audience unless the room asks for it, and without a webhook', async () => {
  const quiet = videoRig(URL);
  const { roomId } = quiet.rooms.create('shop', newRoom({ audiences: 2 }));
  quiet.join(roomId, 'audience').say({ type: 'leave' });
  await quiet.store.outbox.add([]);
  expect((await quiet.told('session-1')).map(({ type }) => type)).toEqual(['room-active', 'room-drop']);
  const none = videoRig();
  const room = none.rooms.create('shop', newRoom());
  none.join(room.roomId, 'moderator').say({ type: 'leave' });
  await none.store.outbox.add([]);
  expect(await none.told('session-1')).toEqual([]);
  expect(none.lines).toEqual(['room.active', 'room.joined', 'room.left', 'room.over']);
});
