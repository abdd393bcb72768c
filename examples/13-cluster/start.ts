/** Starts Redis with a replica, three nodes and, where they are installed, HAProxy and Kamailio; Ctrl-C stops all of it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../bin/callweave.js', import.meta.url));
const [REDIS, REPLICA] = [6390, 6391];
const folder = mkdtempSync(join(tmpdir(), 'callweave-cluster-'));
const children: ChildProcess[] = [];

function start(name: string, command: string, args: string[], cwd = folder): ChildProcess {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  child.on('error', (error) => console.error(`${name}: ${error.message}`));
  child.on('exit', (code, signal) => console.log(`${name} has ended: ${signal ?? code}`));
  children.push(child);
  return child;
}

const isInstalled = (command: string): boolean => spawnSync(command, ['-v']).error === undefined;

if (!isInstalled('redis-server')) {
  console.error('redis-server is not installed');
  process.exit(1);
}
const redisArgs = (port: number): string[] => [
  '--port',
  `${port}`,
  '--bind',
  '127.0.0.1',
  '--save',
  '',
  '--loglevel',
  'warning',
];
start('redis', 'redis-server', redisArgs(REDIS));
await sleep(500);
start('replica', 'redis-server', [...redisArgs(REPLICA), '--replicaof', '127.0.0.1', `${REDIS}`]);
await sleep(1500);

const written = readFileSync(join(HERE, 'callweave.yaml'), 'utf8');
for (const [index, name] of ['one', 'two', 'three'].entries()) {
  const values: Record<string, string | number> = {
    ...{ NODE: name, FLOWS: JSON.stringify(HERE), HTTP_PORT: 8091 + index, SIP_PORT: 5071 + index },
    ...{ RTP_FROM: 20000 + index * 1000, RTP_TO: 20999 + index * 1000, VIDEO_PORT: 23000 + index, REDIS_PORT: REDIS },
  };
  const own = join(folder, name);
  mkdirSync(own);
  const text = written.replace(/[A-Z]+(?:_[A-Z]+)*/g, (word) => String(values[word] ?? word));
  writeFileSync(join(own, 'callweave.yaml'), text);
  const { pid } = start(`node ${name}`, process.execPath, [PROGRAM, 'start'], own);
  console.log(`node ${name}: http://127.0.0.1:${8091 + index}, sip:1000@127.0.0.1:${5071 + index}, process ${pid}`);
}
if (isInstalled('haproxy')) {
  start('haproxy', 'haproxy', ['-db', '-f', join(HERE, 'haproxy.cfg')]);
  console.log('REST for all of them: http://127.0.0.1:8090');
}
if (isInstalled('kamailio')) {
  start('kamailio', 'kamailio', ['-DD', '-f', join(HERE, 'kamailio.cfg'), '-w', HERE], HERE);
  console.log('SIP for all of them: sip:1000@127.0.0.1:5090');
}

let isStopping = false;
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  for (const child of children.toReversed()) child.kill('SIGTERM');
  await Promise.race([
    Promise.all(children.map((child) => child.exitCode ?? new Promise((done) => child.once('exit', done)))),
    sleep(10_000),
  ]);
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}
process.on('SIGINT', () => void stop());
process.on('SIGTERM', () => void stop());
