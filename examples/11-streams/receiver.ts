/** Takes the audio of calls and says it back: `node receiver.ts`, then start a stream to ws://127.0.0.1:8090. */
import { type RawData, WebSocketServer } from 'ws';

const server = new WebSocketServer({ host: '127.0.0.1', port: Number(process.argv[2] ?? 8090) });

server.on('connection', (socket) => {
  let frames = 0;
  socket.on('message', (data: RawData) => {
    const message = JSON.parse(String(data));
    if (message.event === 'start_media') console.log(`stream ${message.stream_id}`, message.start);
    if (message.event === 'stop_media') console.log(`${frames} frames, ${message.dropped} dropped`);
    if (message.event !== 'media') return;
    frames++;
    const { track, payload } = message.media;
    // Only a stream that was started with `bidirectional: true` listens.
    if (track === 'inbound') socket.send(JSON.stringify({ event: 'media', media: { payload } }));
  });
});

server.on('listening', () => console.log(server.address()));
