/** `callweave doctor` for an Asterisk that carries calls. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { checkAsterisk } from '../../src/cli/doctor/asterisk.ts';

const MODULES = [
  ...['app_stasis', 'bridge_holding', 'bridge_softmix', 'chan_pjsip', 'format_sln', 'format_wav', 'func_talkdetect'],
  ...['res_ari_applications', 'res_ari_bridges', 'res_ari_channels', 'res_ari_events', 'res_ari_playbacks'],
  ...['res_ari_recordings', 'res_pjsip_header_funcs', 'res_pjsip_rfc3326', 'res_ari_endpoints'],
  ...['res_stasis_answer', 'res_stasis_playback', 'res_stasis_recording', 'res_stasis_snoop'],
].map((name) => ({ name: `${name}.so`, status: 'Running' }));
const WELL = {
  '/ari/asterisk/info': { system: { version: '22.10.1' } },
  '/ari/asterisk/modules': MODULES,
  '/ari/endpoints/PJSIP/carrier': { state: 'online' },
};

async function found(answers: Record<string, unknown>, password = 'right', url?: string) {
  const server = createServer(({ url: path = '', headers }, response) => {
    const isRight = headers.authorization === `Basic ${Buffer.from('callweave:right').toString('base64')}`;
    const answer = answers[path];
    response.statusCode = !isRight ? 401 : answer === undefined ? 404 : 200;
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const findings = await checkAsterisk({
    ...{ url: url ?? `http://127.0.0.1:${port}/ari`, user: 'callweave', secret: password },
    ...{ application: 'callweave', trunk: 'carrier', mediaDirectory: '/tmp' },
  });
  return findings.map(({ state, found: text }) => `${state}: ${text.replace(String(port), 'PORT')}`);
}

test('accepts an Asterisk that has what calls need, and skips the checks without one', async () => {
  expect(await found(WELL)).toEqual([
    'ok: 22.10.1 at http://127.0.0.1:PORT/ari',
    'ok: all required modules are loaded',
    'ok: carrier is online',
  ]);
  expect(await checkAsterisk(undefined)).toEqual([]);
});

test('reports one that is unreachable, rejects the credentials, or has no REST interface', async () => {
  expect(await found(WELL, 'right', 'http://127.0.0.1:9/ari')).toEqual([
    'failed: no response from http://127.0.0.1:9/ari (ECONNREFUSED)',
  ]);
  expect(await found(WELL, 'wrong')).toEqual(['failed: http://127.0.0.1:PORT/ari rejects the password of callweave']);
  expect(await found({})).toEqual(['failed: no REST interface at http://127.0.0.1:PORT/ari']);
});

test('reports one that is too old, lacks modules, or does not know the trunk', async () => {
  const lacking = MODULES.map((each) =>
    each.name === 'res_stasis_snoop.so' ? { ...each, status: 'Not Running' } : each,
  );
  const answers = { '/ari/asterisk/info': { system: { version: '20.9.1' } }, '/ari/asterisk/modules': lacking };
  expect(await found(answers)).toEqual([
    'failed: is 20.9.1',
    'failed: res_stasis_snoop is not loaded',
    'failed: pjsip.conf has no endpoint carrier',
  ]);
});

test('does not accept nonsense as an Asterisk', async () => {
  const states = await found({ '/ari/asterisk/info': '<html>', '/ari/asterisk/modules': '{"name":1}' });
  expect(states[0]).toBe('failed: is of an unknown version');
  expect(states[1]).toMatch(/^failed: app_stasis, bridge_holding/);
});
