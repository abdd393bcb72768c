/** Two handlers of Express that read JSON and write as much as ours do, and nothing else: the measure of `rooms.orders`. */
import { randomUUID } from 'node:crypto';
import express from 'express';

const [host = '127.0.0.32'] = process.argv.slice(2);
const settings = { mode: 'group', quality: 'HD', participants: 16, duration: 30, max_active_talkers: 4, knock: false };
const app = express();
app.use(express.json());
app.post('/video/v2/rooms', (request, response) => {
  const room = {
    ...request.body,
    room_id: randomUUID(),
    service_id: 'bench',
    settings,
    created: new Date().toISOString(),
  };
  response.json({ result: 0, room });
});
app.post('/video/v2/rooms/:roomId/tokens', (_request, response) => {
  response.json({ result: 0, token: randomUUID() + randomUUID() });
});
const server = app.listen(0, host, () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.(`http://${host}:${address.port}`);
});
process.once('disconnect', () => process.exit(0));
