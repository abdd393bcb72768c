/** Answers to webhooks at a node that does not own the call: they control the call on its owner node. */
import { expect, it } from 'vitest';
import { deliveryOf } from '../contracts/store/call-fixtures.ts';
import { openNodes } from './cluster-rigs.ts';

const TOKEN = 'token-of-the-administrator';

/** An event as docs/webhooks.md has it. */
const eventOf = (call: string) => ({ voice_id: call, state: 'ringing' });

/** A call of node `one`, which drains: node `two` serves all receivers. */
async function callOfDraining() {
  const { clock, nodes } = await openNodes(['one', 'two'], { config: `admin: { token: ${TOKEN} }\n` });
  const [one, two] = [nodes[0]!.rig, nodes[1]!.rig];
  const call = await one.dial();
  await one.pass(2000);
  const headers = { authorization: `Bearer ${TOKEN}` };
  const drained = await one.request('POST', '/admin/v1/drain', undefined, { as: false, headers });
  expect(drained.status).toBe(200);
  await clock.advance(1000);
  const event = async (answer: object): Promise<void> => {
    two.answerEvent = () => ({ status: 200, body: JSON.stringify(answer) });
    await two.store.outbox.add([
      deliveryOf('event-1', call, { url: two.webhookUrl, projectId: 'shop', payload: eventOf(call) }),
    ]);
    await two.pass(3000);
    await one.pass(1000);
  };
  return { one, two, call, event };
}

it('steers the call on the node that carries it by an answer to an event', async () => {
  const { one, two, call, event } = await callOfDraining();
  await event({ play: { text: 'Hello from afar' } });
  expect(one.farEnd('2000').heard.at(-1)).toMatchObject({ item: { text: 'Hello from afar' } });
  const commands = (await one.store.calls.journal(call)).flatMap((entry) =>
    entry.kind === 'in' && entry.input.type === 'command' ? [entry.input.source] : [],
  );
  expect(commands).toEqual(['webhook']);
  expect(two.app.liveCalls).toBe(0);
});

it('records an invalid answer as a diagnostic on the call', async () => {
  const { one, call, event } = await callOfDraining();
  await event({ plai: 'x' });
  expect(one.app.liveCalls).toBe(1);
  const journal = await one.store.calls.journal(call);
  expect(journal.some((entry) => entry.kind === 'diagnostic' && entry.code === 'answer_ignored')).toBe(true);
});

it('returns 404 without the signature of a node', async () => {
  const { one, call } = await callOfDraining();
  const path = `/cluster/v1/answers/${call}`;
  for (const as of [undefined, false as const]) {
    const { status } = await one.request('POST', path, { hangup: true }, as === undefined ? {} : { as });
    expect(status).toBe(404);
  }
  await one.pass(1000);
  expect(one.app.liveCalls).toBe(1);
});
