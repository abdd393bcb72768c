/** The application of 06-dial-out against a real service over HTTP, whose callee is simulated and in a hurry. */
import { expect, test } from 'vitest';
import { dialOut } from '../../examples/06-dial-out/dial-out.ts';
import { createApp } from '../../src/app.ts';
import { systemClock } from '../../src/base/core/clock.ts';
import { randomIds } from '../../src/base/core/ids.ts';
import { readConfigText } from '../../src/config.ts';
import { SimulatedEngine } from '../../src/proof/testkit/index.ts';
import { createMemoryStore } from '../memory-store.ts';

const KEY = 'key-of-the-example-0001';
const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of the example tests').toString('base64')}`;

async function openService(press: string | undefined) {
  const { config } = readConfigText(
    `
projects: [{ app_id: demo, app_key: ${KEY}, webhook_secret: "${WEBHOOK_SECRET}" }]
flows_directory: .
http: { port: 0 }
numbers: [{ number: "1000" }]
`,
    `${import.meta.dirname}/callweave.yaml`,
  );
  const engine = new SimulatedEngine({
    clock: systemClock,
    ids: randomIds,
    audio: { durationMs: () => 5 },
    dialled(callee) {
      callee.observe(({ type }) => {
        if (type !== 'hears') return;
        if (press === undefined) callee.hangUp();
        else callee.press(press, { toneMs: 1, gapMs: 1 });
      });
    },
  });
  const app = await createApp(config!, {
    store: createMemoryStore(),
    telephony: { engine, sounds: { refusal: () => undefined } },
  });
  const { http } = await app.start();
  return {
    url: `http://127.0.0.1:${http.port}`,
    [Symbol.asyncDispose]: () => {
      app.endCallsNow();
      return app.stop(0);
    },
  };
}

test('06-dial-out: reports the key 1 of the callee to the application in order', async () => {
  await using service = await openService('1#');
  const told: string[] = [];
  const options = { appId: 'demo', appKey: KEY, webhookSecret: WEBHOOK_SECRET, from: '1000', to: 'sip:me@127.0.0.1' };
  const digits = await dialOut({ ...options, service: service.url, print: (line) => void told.push(line) });
  expect(digits).toBe('1');
  expect(told).toEqual([
    expect.stringMatching(/^initiated /),
    'ringing',
    'connected',
    'digitcollected 1',
    'disconnected',
  ]);
});

test('06-dial-out: reports no key for a callee who hangs up', async () => {
  await using service = await openService(undefined);
  const options = { appId: 'demo', appKey: KEY, webhookSecret: WEBHOOK_SECRET, from: '1000', to: 'sip:me@127.0.0.1' };
  expect(await dialOut({ ...options, service: service.url, print: () => undefined })).toBeUndefined();
});

test('06-dial-out: refuses a number of another project in words', async () => {
  await using service = await openService(undefined);
  const options = { appId: 'demo', appKey: KEY, webhookSecret: WEBHOOK_SECRET, from: '999', to: 'sip:me@127.0.0.1' };
  await expect(dialOut({ ...options, service: service.url, print: () => undefined })).rejects.toThrow(
    /the service refused: 400 .*999/,
  );
});
