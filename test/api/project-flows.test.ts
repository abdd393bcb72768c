/** Project flows that use the built-in flows. */
import { expect, it } from 'vitest';
import { openRig } from './rigs.ts';

const MINE = `
flow: mine
start: greet
steps:
  greet: { play: Welcome to the shop, exits: { done: control, error: bye } }
  control: { subflow: rest-control, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;

it('hands the call over to REST, for numbers and for requests', async () => {
  const rig = await openRig({
    config: 'numbers: [{ number: "1000", webhook: HOOK }, { number: "1001", webhook: HOOK, flow: mine }]\n',
    flows: { mine: MINE },
  });
  rig.call('1001');
  const dialled = await rig.dial({ flow: 'mine' });
  await rig.pass(5000);
  const called = String(rig.received.find(({ body }) => body['state'] === 'incomingcall')?.body['voice_id']);
  for (const call of [called, dialled]) {
    const { status } = await rig.request('PUT', `/voice/v1/call/${call}/play`, { text: 'How can we help you?' });
    expect(status).toBe(200);
  }
  await rig.pass(5000);
  for (const to of ['1001', '2000']) {
    expect(rig.farEnd(to).heard.map(({ item }) => 'text' in item && item.text)).toEqual([
      'Welcome to the shop',
      'How can we help you?',
    ]);
  }
});
