/**
 * Starts Redis with two replicas, three nodes and, where they are installed, HAProxy and Kamailio; Ctrl-C stops all of it. With
 * `--asterisk`, an Asterisk carries the calls, which go on when their node is killed.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Of the clone, or of the package that is installed where this folder was copied to. */
const PROGRAM = fileURLToPath(new URL('bin/callweave.js', import.meta.resolve('callweave/package.json')));
/** Takes the installed Asterisk, or unpacks one into a folder; only clones have it. */
const ASTERISK = fileURLToPath(new URL('../../bench/peers/asterisk.sh', import.meta.url));
const MODULES = [
  ...[
    'res_http_websocket',
    'res_websocket_client',
    'res_ari',
    'res_ari_model',
    'res_ari_channels',
    'res_ari_events',
    'res_ari_playbacks',
  ],
  ...['res_ari_bridges', 'res_ari_recordings', 'res_ari_applications', 'res_ari_asterisk', 'res_stasis', 'app_stasis'],
  ...['res_stasis_playback', 'res_stasis_recording', 'res_stasis_answer', 'res_stasis_snoop', 'format_wav'],
  ...['func_talkdetect', 'res_pjsip_header_funcs', 'res_pjsip_rfc3326', 'bridge_holding', 'func_cut', 'func_rand'],
].join(' ');
const hasAsterisk = process.argv.includes('--asterisk');
const [PRIMARY, ...REPLICAS] = [6390, 6391, 6392] as const;
const folder = mkdtempSync(join(tmpdir(), 'callweave-cluster-'));
const children: ChildProcess[] = [];
/** Its process. */
let asterisk: number | undefined;

/** What it writes goes to a file beside the data. */
const logOf = (name: string): string => join(folder, `${name.replaceAll(' ', '-')}.log`);

function start(name: string, command: string, args: string[], cwd = folder): ChildProcess {
  const log = openSync(logOf(name), 'a');
  const child = spawn(command, args, { cwd, stdio: ['ignore', log, log] });
  child.on('error', (error) => console.error(`${name}: ${error.message}`));
  child.on('exit', (code, signal) => console.log(`${name} has ended: ${signal ?? code}; see ${logOf(name)}`));
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
start('redis', 'redis-server', redisArgs(PRIMARY));
await sleep(500);
for (const port of REPLICAS) {
  start(`replica ${port}`, 'redis-server', [...redisArgs(port), '--replicaof', '127.0.0.1', `${PRIMARY}`]);
}
await sleep(1500);

if (hasAsterisk) await startAsterisk();
const files = ['callweave.yaml', ...(hasAsterisk ? ['asterisk/asterisk.yaml'] : [])];
const written = files.map((file) => readFileSync(join(HERE, file), 'utf8')).join('');
for (const [index, name] of ['one', 'two', 'three'].entries()) {
  const values: Record<string, string | number> = {
    ...{ NODE: name, FLOWS: JSON.stringify(HERE), HTTP_PORT: 8091 + index, SIP_PORT: 5071 + index },
    ...{ RTP_FROM: 20000 + index * 1000, RTP_TO: 20999 + index * 1000, VIDEO_PORT: 23000 + index },
    SOUNDS: JSON.stringify(join(folder, 'sounds')),
  };
  const own = join(folder, name);
  mkdirSync(own);
  const text = written.replace(/[A-Z]+(?:_[A-Z]+)*/g, (word) => String(values[word] ?? word));
  writeFileSync(join(own, 'callweave.yaml'), text);
  const { pid } = start(`node ${name}`, process.execPath, [PROGRAM, 'start'], own);
  const sip = hasAsterisk ? '' : `, sip:1000@127.0.0.1:${5071 + index}`;
  console.log(`node ${name}: http://127.0.0.1:${8091 + index}${sip}, process ${pid}, log ${logOf(`node ${name}`)}`);
}
if (hasAsterisk) console.log('calls for all of them: sip:1000@127.0.0.1:5095');
if (isInstalled('haproxy')) {
  start('haproxy', 'haproxy', ['-db', '-f', join(HERE, 'haproxy.cfg')]);
  console.log('REST for all of them: http://127.0.0.1:8090');
}
if (!hasAsterisk && isInstalled('kamailio')) {
  start('kamailio', 'kamailio', ['-DD', '-f', join(HERE, 'kamailio.cfg'), '-w', HERE], HERE);
  console.log('SIP for all of them: sip:1000@127.0.0.1:5090');
}

/** The configurations of this example, in a folder of this start. */
async function startAsterisk(): Promise<void> {
  if (!existsSync(ASTERISK)) {
    console.error('--asterisk works in a clone of the repository');
    process.exit(1);
  }
  const own = join(folder, 'asterisk');
  cpSync(join(HERE, 'asterisk'), own, { recursive: true });
  const script = spawn('bash', [ASTERISK, join(tmpdir(), 'callweave-asterisk'), '127.0.0.1', own], {
    env: { ...process.env, MODULES_TOO: MODULES },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  script.stdout.on('data', (text) => lines.push(String(text)));
  await new Promise((done) => script.once('exit', done));
  asterisk = Number(lines.join('').trim().split('\n').at(-1));
  if (!(asterisk > 0)) throw new Error('Asterisk did not start');
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
  if (asterisk !== undefined) process.kill(asterisk, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}
process.on('SIGINT', () => void stop());
process.on('SIGTERM', () => void stop());
