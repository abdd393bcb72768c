/** Answers to events are untrusted: their keys are plain keys, whatever their names. */
import { afterEach, expect, it } from 'vitest';
import { ApiRig } from '../api/rig.ts';

let rig: ApiRig;
afterEach(() => rig.close());

const DEEP = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`;

it.each([
  [
    'an outcome that sets them',
    '{"outcome":"done","set":{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}}',
  ],
  [
    'a flow with their names',
    '{"flow":{"flow":"f","start":"__proto__","steps":{"__proto__":{"hangup":"normal"},"constructor":{"pause":"1s"}}}}',
  ],
  ['a flow with input for them', '{"flow":"echo","input":{"__proto__":{"polluted":"yes"}}}'],
  ['nothing but them', '{"__proto__":{"hangup":true}}'],
  ['more than anybody walks', `{"flow":"echo","input":${DEEP}}`],
])('keeps an answer with %s from changing other objects', async (_what, body) => {
  rig = await ApiRig.open({
    config: 'numbers: [{ number: "1000", webhook: "HOOK" }]\n',
    flows: {
      echo: 'flow: echo\ninput: { type: object }\nstart: a\nsteps: { a: { pause: 1s, next: b }, b: { hangup: normal } }\n',
    },
  });
  rig.answerEvent = ({ body: told }) => (told['state'] === 'connected' ? { status: 200, body } : { status: 204 });
  const call = await rig.dial();
  await rig.pass(5000);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  const heard = rig.logLines.filter(
    ({ message, fields }) => /steered|answer_ignored/.test(message) || fields['answerIgnored'],
  );
  expect(heard.length).toBeGreaterThan(0);
  expect(rig.logLines.filter(({ level }) => level === 'error')).toEqual([]);
  // The service still works.
  const again = await rig.request('GET', `/voice/v1/call/${call}`);
  expect(again.status).toBe(200);
  expect(JSON.stringify(rig.received)).not.toContain('polluted');
});
