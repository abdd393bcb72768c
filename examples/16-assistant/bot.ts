/**
 * An agent without any AI: it beeps where a model would speak, and is answered by keys. `node bot.ts`, then add it to the
 * configuration: `assistants: [{ name: reception, adapter: stream, url: "ws://127.0.0.1:8091" }]`.
 */
import { type RawData, type WebSocket, WebSocketServer } from 'ws';

const server = new WebSocketServer({ host: '127.0.0.1', port: Number(process.argv[2] ?? 8091) });
const DAY_MS = 86_400_000;

server.on('connection', (socket) => {
  const send = (message: object): void => socket.send(JSON.stringify(message));
  const say = (text: string, tones: number[]): void => {
    console.log(`says: ${text}`);
    for (const hz of tones) send({ event: 'media', media: { payload: beep(hz) } });
    send({ event: 'transcript', speaker: 'agent', text });
  };
  converse(socket, say, (name, given) => send({ event: 'tool_call', call_id: name, name, arguments: given }));
});

function converse(
  socket: WebSocket,
  say: (text: string, tones: number[]) => void,
  call: (name: string, given: object) => void,
): void {
  let day = '';
  socket.on('message', (data: RawData) => {
    const message = JSON.parse(String(data));
    switch (message.event) {
      case 'start_media':
        console.log(`a call of ${message.start.from}: ${message.start.assistant.instructions.split('\n')[0]}`);
        return say('Press 1 for the next free day, 0 for a person.', [440, 660]);
      case 'tool_result':
        // A lookup was answered, or something was called in a wrong way.
        day = message.is_error ? new Date(Date.now() + DAY_MS).toISOString().slice(0, 10) : String(message.result[0]);
        return say(`${day} is free: press 2 to book it, 0 for a person.`, [660, 880]);
      case 'key':
        if (message.digit === '0') return call('human', {});
        if (message.digit === '1') return call('free_days', { month: new Date().getMonth() + 1 });
        if (message.digit === '2' && day !== '') return call('book', { date: day });
        return say('There is no such key.', [220]);
      case 'interrupted':
        return console.log(`was cut, ${message.unheard_ms} ms were not heard`);
      case 'stop_media':
        return console.log('the conversation is over');
    }
  });
}

/** 300 ms of a square wave: two values of µ-law in turn. */
function beep(hz: number): string {
  const bytes = Buffer.from(
    Array.from({ length: 2400 }, (_, at) => (Math.floor((at * hz * 2) / 8000) % 2 ? 0x1f : 0x9f)),
  );
  return bytes.toString('base64');
}

server.on('listening', () => console.log(server.address()));
