/**
 * A real phone in conversation with an AI agent: audio in both directions, and a tool that moves the call to another
 * step.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as talkFor } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { program } from '../programs.ts';
import { castAt, heardBy, PHONE_ADDRESS, TONE_HZ } from './cast.ts';
import { startService } from './service.ts';
import { secondsOfTone, tone } from './sound.ts';
import { startStreamReceiver } from './stream-receiver.ts';
import { startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.117';
const cast = castAt(16_100);

const FLOW = `
flow: books
start: talk
defaults: { exits: { error: failed } }
steps:
  talk:
    assistant:
      agent: bot
      instructions: "You talk with \${ call.from }."
      barge_in: false
      tools:
        book: { description: A day is chosen., arguments: { date: { type: string, format: date } } }
    exits: { book: booked, limit: failed }
  booked: { notify: { event: booked, body: { date: "\${ steps.talk.arguments.date }", turns: "\${ steps.talk.turns }" } }, next: bye }
  failed: { notify: { event: failed }, next: bye }
  bye: { hangup: normal }
`;

const baresip = program('baresip');

describe.skipIf(baresip.missing)(`a phone and an AI agent${baresip.why}`, () => {
  it('exchanges audio in both directions, and a tool of the agent routes the call', { timeout: 60_000 }, async () => {
    const receiver = await startReceiver(ADDRESS);
    const bot = await startStreamReceiver(ADDRESS);
    const service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-assistant-')),
      address: ADDRESS,
      sip: { allow_sip_uris: [PHONE_ADDRESS] },
      numbers: [{ number: '7000', flow: 'books', webhook: receiver.url }],
      more: { assistants: [{ name: 'bot', adapter: 'stream', url: bot.url, secret: 'the secret of the agent' }] },
      flows: { 'books.flow.yaml': FLOW },
    });
    onTestFinished(async () => {
      await cast.stop();
      await service.stop();
      await Promise.all([bot.stop(), receiver.stop()]);
    });
    const events = () => receiver.events.map(({ body }) => body);
    const told = (what: string) =>
      receiver.until(() => events().some((event) => JSON.stringify(event).includes(`"${what}"`)), what);
    const ben = await cast.baresip('ben');
    await ben.command('dial', `sip:7000@${service.sip}`);
    await bot.until('start_media');
    expect(bot.messages[1]!.start!['assistant']).toMatchObject({
      instructions: 'You talk with ben.',
      tools: [{ name: 'book', parameters: { required: ['date'] } }],
    });
    bot.say(tone(TONE_HZ.bot, 2));
    bot.send({ event: 'transcript', speaker: 'agent', text: 'Which day?' });
    await talkFor(2_500);
    bot.send({ event: 'tool_call', call_id: 'c-1', name: 'book', arguments: { date: 'tomorrow' } });
    await bot.until('tool_result');
    bot.send({ event: 'tool_call', call_id: 'c-2', name: 'book', arguments: { date: '2026-12-02' } });
    await told('booked');
    await told('disconnected');
    await bot.until('stop_media');
    expect(events().find((event) => JSON.stringify(event).includes('"booked"'))).toMatchObject({
      // The phone plays a tone: that is not a voice.
      body: { date: '2026-12-02', turns: 0 },
    });
    expect(JSON.stringify(events())).toContain('Which day?');
    expect(bot.messages.find(({ event }) => event === 'tool_result')).toMatchObject({ call_id: 'c-1', is_error: true });
    expect(secondsOfTone(bot.samples('inbound'), TONE_HZ.ben)).toBeGreaterThan(1);
    await cast.stop();
    expect(secondsOfTone(heardBy(ben), TONE_HZ.bot)).toBeGreaterThan(1.5);
    expect(service.log()).not.toMatch(/the secret of the agent|Which day/);
  });
});
