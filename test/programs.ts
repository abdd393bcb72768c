/** Programs that some tests need and not every machine has: a test without its program is skipped and says why. */
import { spawnSync } from 'node:child_process';

const PACKAGES = {
  sipp: 'sip-tester',
  baresip: 'baresip-core',
  linphonec: 'linphone-cli',
  svmap: 'sipvicious',
  chromium: 'chromium',
  'firefox-esr': 'firefox-esr',
  tshark: 'tshark',
  sox: 'sox',
  ffmpeg: 'ffmpeg',
  ffprobe: 'ffmpeg',
  janus: 'janus',
  turnserver: 'coturn',
  prometheus: 'prometheus',
  'systemd-analyze': 'systemd',
  haproxy: 'haproxy',
  nginx: 'nginx',
  caddy: 'caddy',
  kamailio: 'kamailio',
  'redis-server': 'redis-server',
  'valkey-server': 'valkey-server',
} as const;

export interface Program {
  missing: boolean;
  /** For the name of the test: empty when the program is there. */
  why: string;
}

export function program(name: keyof typeof PACKAGES): Program {
  const missing = spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0;
  return { missing, why: missing ? ` (skipped: ${name} is not installed, see package ${PACKAGES[name]})` : '' };
}
