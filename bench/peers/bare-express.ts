/**
 * Two Express handlers that only read JSON and write responses of the same size: the peer of `rooms.orders`.
 */
import { randomUUID } from 'node:crypto';
import express from 'express';

const [host = '127.0.0.32'] = process.argv.slice(2);
const settings = {
  ...{ quality: 'HD', mode: 'group', scheduled: false, adhoc: false, audiences: 0, send_audiences_stats: false },
  ...{ auto_recording: false, screen_share: true, canvas: false, knock: false, wait_for_moderator: false, abwd: false },
  ...{ facex: false, max_active_talkers: 16, single_file_recording: false },
  role_based_recording: { moderator: 'audiovideo', participant: 'audiovideo' },
  ...{ live_recording: false, watermark: false, media_zone: 'XX', billing_code: '' },
};
const TOKEN_LENGTH = 270;
const app = express();
app.use(express.json());
app.post('/video/v2/rooms', (request, response) => {
  const { name, owner_ref } = request.body as Record<string, unknown>;
  const made = { sip: { enabled: false }, created: new Date().toISOString() };
  response.json({ result: 0, room: { room_id: randomUUID(), name, owner_ref, settings, ...made } });
});
app.post('/video/v2/rooms/:roomId/tokens', (_request, response) => {
  response.json({ result: 0, token: randomUUID().padEnd(TOKEN_LENGTH, '0') });
});
const server = app.listen(0, host, () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.(`http://${host}:${address.port}`);
});
process.once('disconnect', () => process.exit(0));
