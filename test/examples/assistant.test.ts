/** The bot of examples/16-assistant, as a call talks with it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

const BOT = fileURLToPath(new URL('../../examples/16-assistant/bot.ts', import.meta.url));

it('looks up a day, books it on request, and hands over, without any AI', async () => {
  const child = spawn(process.execPath, [BOT, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const [line] = await once(child.stdout, 'data');
  const port = Number(/port: (\d+)/.exec(String(line))![1]);
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  onTestFinished(() => socket.terminate());
  const messages: Record<string, unknown>[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  await once(socket, 'open');
  const send = (message: object): void => socket.send(JSON.stringify(message));
  const last = (event: string) => messages.findLast((message) => message['event'] === event);
  send({ event: 'start_media', start: { from: '+33612345678', assistant: { instructions: 'Be brief.' } } });
  await expect
    .poll(() => last('transcript'))
    .toMatchObject({ speaker: 'agent', text: expect.stringMatching(/Press 1/) });
  expect(last('media')).toMatchObject({ media: { payload: expect.any(String) } });
  send({ event: 'key', digit: '1' });
  await expect
    .poll(() => last('tool_call'))
    .toMatchObject({ name: 'free_days', arguments: { month: expect.any(Number) } });
  send({ event: 'tool_result', call_id: 'free_days', is_error: false, result: ['2026-12-02'] });
  await expect.poll(() => last('transcript')).toMatchObject({ text: expect.stringMatching(/2026-12-02 is free/) });
  send({ event: 'key', digit: '2' });
  await expect.poll(() => last('tool_call')).toMatchObject({ name: 'book', arguments: { date: '2026-12-02' } });
  send({ event: 'key', digit: '0' });
  await expect.poll(() => last('tool_call')).toMatchObject({ name: 'human' });
});
