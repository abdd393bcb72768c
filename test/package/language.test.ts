/** The packages beside the service, each alone in an empty folder: the flow language, and the client of rooms. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { installedBytes, installPackage, ROOT, runIn, userEnvironment } from './install.ts';

const MAX_BYTES = 15e6;
const NATIVE = '**/*.{node,so,dylib,dll,wasm}';
/** Name of an imported package, without modules of Node.js and files of the program. */
const IMPORTED = /^(?:import|export)\b[^'"\n]*\bfrom ['"](?!\.|node:)([^'"/]+)/gm;
const folder = mkdtempSync(join(tmpdir(), 'callweave-language-'));
const BAD_FLOW = `flow: bad
start: hello
steps:
  hello: { play: welcome, next: bye }
  bye: { hangup: now, nxt: hello }
`;

const manifest = (path: string) =>
  JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')) as {
    version: string;
    dependencies?: Record<string, string>;
  };

const language = (...args: string[]): string => runIn(folder, 'npx', '--no-install', 'callweave-language', ...args);

beforeAll(() => {
  installPackage(join(ROOT, 'packages/language'), folder);
  installPackage(join(ROOT, 'client'), folder);
  cpSync(join(ROOT, 'flows'), join(folder, 'flows'), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the flow language', () => {
  test('is below 15 MB, and has no native file', () => {
    const bytes = installedBytes(folder);
    console.log(`installed: ${(bytes / 1e6).toFixed(1)} MB`);
    expect(bytes).toBeGreaterThan(2e6);
    expect(bytes).toBeLessThan(MAX_BYTES);
    expect(globSync(`node_modules/${NATIVE}`, { cwd: folder })).toEqual([]);
  });

  test('depends on what it imports and nothing else, in the versions of the service', () => {
    const dist = join(folder, 'node_modules/@callweave/language/dist');
    const imported = globSync('**/*.js', { cwd: dist })
      .flatMap((file) => [...readFileSync(join(dist, file), 'utf8').matchAll(IMPORTED)])
      .map(([, name]) => name!);
    const { dependencies, version } = manifest('packages/language');
    expect([...new Set(imported)].sort()).toEqual(Object.keys(dependencies!).sort());
    const service = manifest('.');
    expect(service.dependencies).toMatchObject(dependencies!);
    expect([version, manifest('client').version]).toEqual([service.version, service.version]);
  });

  test('checks flows, and says what is wrong with one', () => {
    expect(language('check', 'flows')).toContain('0 errors');
    writeFileSync(join(folder, 'bad.flow.yaml'), BAD_FLOW);
    const command = ['--no-install', 'callweave-language', 'check', 'bad.flow.yaml'];
    const { status, stdout } = spawnSync('npx', command, { cwd: folder, encoding: 'utf8', env: userEnvironment() });
    expect(status).toBe(1);
    expect(stdout).toMatch(/bad\.flow\.yaml:5:\d+.*`nxt`/);
  });

  test('runs the tests of flows in virtual time', () => {
    expect(language('test', 'flows')).toMatch(/^3\d tests passed, 0 failed/m);
  });

  test('draws a flow, and imports one of another system', () => {
    expect(language('export', 'flows/welcome-menu.flow.yaml')).toMatch(/^flowchart/);
    writeFileSync(join(folder, 'hello.xml'), '<Response><Say>Hello</Say><Hangup/></Response>');
    language('import', 'hello.xml', '--out', 'imported');
    expect(language('check', 'imported')).toContain('1 flow, 0 errors');
  });

  test('reports problems to an editor', async () => {
    const server = spawn('npx', ['--no-install', 'callweave-language', 'lsp', '--stdio'], {
      ...{ cwd: folder, env: userEnvironment(), detached: true },
    });
    onTestFinished(() => void process.kill(-server.pid!, 'SIGKILL'));
    send(server, { id: 1, method: 'initialize', params: { processId: null, rootUri: null, capabilities: {} } });
    send(server, { method: 'initialized', params: {} });
    const textDocument = { uri: `file://${folder}/bad.flow.yaml`, languageId: 'yaml', version: 1, text: BAD_FLOW };
    send(server, { method: 'textDocument/didOpen', params: { textDocument } });
    let received = '';
    for await (const chunk of server.stdout) {
      received += String(chunk);
      if (/publishDiagnostics.*nxt/s.test(received)) return;
    }
    expect(received).toContain('publishDiagnostics');
  });
});

test('installs the client of rooms as a module without dependencies', () => {
  const code = "import('@callweave/room-client').then(({ RoomClient }) => console.log(typeof RoomClient))";
  expect(runIn(folder, process.execPath, '--input-type=module', '-e', code).trim()).toBe('function');
  expect(manifest('client').dependencies).toBeUndefined();
});

function send({ stdin }: ChildProcess, message: object): void {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  stdin!.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
