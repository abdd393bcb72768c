/** The service as a whole: what it needs to start, what it makes at the first start, and what it says when it cannot. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type App, ConfigurationError, createApp, StartError } from '../../src/app.ts';
import { type Config, readConfigText } from '../../src/config.ts';
import { callweave } from '../cli/command.ts';

const FLOW = 'flow: hello\nstart: say\nsteps: { say: { play: Hello there, exits: { done: $end, error: $end } } }\n';

function configOf(text: string, flows: Record<string, string> = { hello: FLOW }): Config {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-app-'));
  for (const [name, flow] of Object.entries(flows)) writeFileSync(join(directory, `${name}.flow.yaml`), flow);
  const base = 'flows_directory: .\nhttp: { port: 0 }\nsip: { host: 127.0.0.31, port: 0 }\n';
  const { config, diagnostics } = readConfigText(base + text, join(directory, 'callweave.yaml'));
  if (!config) throw new Error(JSON.stringify(diagnostics));
  return config;
}

const get = (base: string, { appId, appKey }: { appId: string; appKey: string }) =>
  fetch(`${base}/voice/v1/call/x`, {
    headers: { authorization: `Basic ${Buffer.from(`${appId}:${appKey}`).toString('base64')}` },
  });

describe('a first start', () => {
  it('creates a project whose credentials work and are never shown again', async () => {
    const config = configOf('numbers: [{ number: "1", flow: hello }]');
    const first = await createApp(config);
    const credentials = first.created!;
    expect(credentials).toEqual({
      appId: expect.any(String),
      appKey: expect.stringMatching(/^.{40,}$/),
      webhookSecret: expect.stringMatching(/^whsec_/),
    });
    const { http, sip } = await first.start();
    expect(sip).toMatchObject({ host: '127.0.0.31' });
    expect((await get(`http://127.0.0.1:${http.port}`, credentials)).status).toBe(404);
    await first.stop(0);

    const second = await createApp(config);
    expect(second.created).toBeUndefined();
    const again = await second.start();
    expect((await get(`http://127.0.0.1:${again.http.port}`, credentials)).status).toBe(404);
    expect((await get(`http://127.0.0.1:${again.http.port}`, { ...credentials, appKey: 'x' })).status).toBe(401);
    await second.stop(0);
  });
});

describe('a number', () => {
  it.each<[string, string, string, string]>([
    ['with a flow that is not there', 'numbers: [{ number: "1", flow: helo }]', 'unknown-flow', '4:32'],
    ['with a flow that does not compile', 'numbers: [{ number: "1", flow: broken }]', 'unknown-flow', '4:32'],
    [
      'with input that its flow does not take',
      'numbers: [{ number: "1", flow: hello, input: { x: 1 } }]',
      'wrong-input',
      '4:46',
    ],
  ])('%s keeps the service from starting, with the place', async (_what, text, code, at) => {
    const config = configOf(text, { hello: FLOW, broken: 'flow: broken\nstart: nowhere\nsteps: {}\n' });
    const error = await createApp(config).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ConfigurationError);
    const [first, ...more] = (error as ConfigurationError).diagnostics;
    expect(first).toMatchObject({ code, file: config.file });
    expect(`${first?.line}:${first?.column}`).toBe(at);
    // Errors of the flow itself are reported, too.
    expect(more.some(({ file }) => file.endsWith('broken.flow.yaml'))).toBe(true);
  });

  it('is not concerned by another flow that is broken', async () => {
    const config = configOf('numbers: [{ number: "1", flow: hello }]', {
      hello: FLOW,
      broken: 'flow: broken\nstart: x\n',
    });
    const app = await createApp(config);
    expect(app.diagnostics.some(({ file }) => file.endsWith('broken.flow.yaml'))).toBe(true);
    await app.start();
    await app.stop(0);
  });
});

describe('a service that cannot start', () => {
  const run = async (config: Config) => {
    vi.stubEnv('CALLWEAVE_LOG_LEVEL', 'silent');
    const { code: status, out, err } = await callweave(['start', '--config', config.file!]);
    vi.unstubAllEnvs();
    return { status, said: out + err };
  };
  const write = (config: Config, text: string): Config => {
    writeFileSync(config.file!, text);
    return config;
  };

  it('names the occupied port, and what to do', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    const { port } = squatter.address() as AddressInfo;
    const config = write(
      configOf(''),
      `flows_directory: .\nsip: { host: 127.0.0.32, port: 0 }\nhttp: { port: ${port} }\n`,
    );
    const { status, said } = await run(config);
    expect(status).toBe(1);
    expect(said).toContain(`cannot listen for HTTP on 127.0.0.1:${port}: another program listens there`);
    expect(said).toContain('http.port');
    squatter.close();
  });

  it('reports an address that this machine does not have', async () => {
    const { status, said } = await run(
      write(configOf(''), 'flows_directory: .\nsip: { host: 192.0.2.1, port: 0 }\nhttp: { port: 0 }\n'),
    );
    expect(status).toBe(1);
    expect(said).toMatch(
      /cannot listen for SIP on 192\.0\.2\.1:0: this machine has no such address\n {2}hint: .*sip\.host/,
    );
  });

  it('reports an unreachable Asterisk at the start', async () => {
    const asterisk = 'asterisk: { url: "http://127.0.0.1:1/ari", user: me, password: x, trunk: carrier }\n';
    const error = await (await createApp(configOf(asterisk))).start().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as ConfigurationError).diagnostics).toMatchObject([
      { code: 'unreachable', message: expect.stringContaining('http://127.0.0.1:1/ari: connect ECONNREFUSED') },
    ]);
  });

  it('reports missing IPv6 when it must listen on both families', () => {
    const error = new StartError(
      'sip',
      { host: '::', port: 5060 },
      Object.assign(new Error(), { code: 'EAFNOSUPPORT' }),
    );
    expect(error.message).toBe('cannot listen for SIP on [::]:5060: this machine has no IPv6');
    expect(error.hint).toMatch(/sip\.host .* 0\.0\.0\.0/);
  });

  it('reports data that cannot be opened', async () => {
    const config = configOf('');
    writeFileSync(join(config.flowsDirectory, 'data'), 'a file, not a directory');
    write(config, 'flows_directory: .\nhttp: { port: 0 }\n');
    const { status, said } = await run(config);
    expect(status).toBe(1);
    expect(said).toContain('the data cannot be opened');
  });

  it('says what is wrong with its configuration', async () => {
    const { status, said } = await run(write(configOf(''), 'htpp: {}'));
    expect(status).toBe(2);
    expect(said).toMatch(/^\S+:1:1 error unknown-key: unknown key `htpp`\n/);
  });

  it('needs no directory of flows where none is named, as for an application that decides everything', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-app-'));
    const text =
      'http: { port: 0 }\nsip: { host: 127.0.0.31, port: 0 }\nnumbers: [{ number: "1", webhook: "https://x.example/" }]\n';
    const { config } = readConfigText(text, join(directory, 'callweave.yaml'));
    const app = await createApp(config!);
    await app.start();
    expect(app.diagnostics).toEqual([]);
    await app.stop(0);
  });

  it('reports a missing directory of flows', async () => {
    const { status, said } = await run(write(configOf(''), 'flows_directory: ./nowhere'));
    expect(status).toBe(2);
    expect(said).toMatch(/nowhere cannot be read: there is no such directory/);
  });
});

describe('cleanup after a failed start', () => {
  it('leaves nothing running, however it ends', async () => {
    const handles = () =>
      process.getActiveResourcesInfo().filter((name) => /Server|Socket|UDP|Worker|MessagePort/.test(name));
    const before = handles();
    const apps: App[] = [await createApp(configOf('')), await createApp(configOf(''))];
    await apps[0]!.start();
    for (const app of apps) await app.stop(0);
    // Connections of earlier tests may end meanwhile; closed ones disappear some turns later.
    const more = () => {
      const expected = [...before];
      return handles().filter((name) => {
        const at = expected.indexOf(name);
        if (at >= 0) expected.splice(at, 1);
        return at < 0;
      });
    };
    await expect.poll(more, { timeout: 5_000 }).toEqual([]);
  });
});
