/**
 * A real Asterisk for tests, on loopback addresses only: the installed one, or one that `bench/peers/asterisk.sh` unpacked.
 * Its files are in a directory of its own; without one, `reason` says why.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../src/base/core/find-program.ts';

const UNPACKED = join(tmpdir(), 'callweave-asterisk');
const SCRIPT = join(import.meta.dirname, '../../bench/peers/asterisk.sh');
const MODULES = [
  ...['res_http_websocket', 'res_websocket_client', 'res_ari', 'res_ari_model', 'res_ari_channels', 'res_ari_events'],
  ...[
    'res_ari_playbacks',
    'res_ari_bridges',
    'res_ari_recordings',
    'res_ari_applications',
    'res_ari_asterisk',
    'res_ari_endpoints',
  ],
  ...[
    'res_stasis',
    'res_stasis_playback',
    'res_stasis_recording',
    'res_stasis_answer',
    'res_stasis_snoop',
    'app_stasis',
  ],
  ...['format_wav', 'func_talkdetect', 'res_pjsip_header_funcs', 'res_pjsip_rfc3326', 'func_cut', 'bridge_holding'],
].join(' ');

export const SECRET = 'peer-secret';
export const USER = 'callweave';

/** Why there is none; undefined: there is one. */
export const asteriskMissing = async (): Promise<string | undefined> =>
  existsSync(join(UNPACKED, 'root/usr/sbin')) || (await findProgram('asterisk', ['/usr/sbin', '/usr/local/sbin']))
    ? undefined
    : 'Asterisk is neither installed nor unpacked (bash bench/peers/asterisk.sh DIR)';

export interface AsteriskPeer {
  address: string;
  /** Of its REST interface. */
  url: string;
  pid: number;
  stop(): void;
}

/**
 * At port 5060 of the address: numbers `APPLICATION-NUMBER` go to this application. `trunk`: where numbers are called.
 */
export function startAsterisk(
  address: string,
  trunk: string,
  more: Readonly<Record<string, string>> = {},
): AsteriskPeer {
  const own = mkdtempSync(join(tmpdir(), 'callweave-asterisk-test-'));
  const files: Readonly<Record<string, string>> = {
    'http.conf': `[general]\nenabled=yes\nbindaddr=${address}\nbindport=8088\nsessionlimit=1000\n`,
    'ari.conf': `[general]\nenabled=yes\n[${USER}]\ntype=user\npassword=${SECRET}\n`,
    'pjsip.conf': pjsipConf(address, trunk),
    'extensions.conf': EXTENSIONS,
    'logger.conf': '[general]\n[logfiles]\nmessages => error,warning\n',
    ...more,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(own, name), content);
  const started = spawnSync('bash', [SCRIPT, UNPACKED, address, own], {
    encoding: 'utf8',
    env: { ...process.env, MODULES_TOO: MODULES, OPTIONS_TOO: 'mindtmfduration = 40' },
  });
  const pid = Number(started.stdout.trim().split('\n').at(-1));
  if (started.status !== 0 || !(pid > 0)) throw new Error(`Asterisk did not start: ${started.stderr}`);
  return {
    ...{ address, url: `http://${address}:8088/ari`, pid },
    stop() {
      process.kill(pid, 'SIGKILL');
      if (!process.env['KEEP_ASTERISK_FILES']) rmSync(own, { recursive: true, force: true });
    },
  };
}

const EXTENSIONS = `[callweave]
exten => _[a-z].,1,Stasis(\${CUT(EXTEN,-,1)})
 same => n,Hangup(34)
`;

const pjsipConf = (address: string, trunk: string): string => `[udp]
type=transport
protocol=udp
bind=${address}:5060
[carrier]
type=endpoint
context=callweave
disallow=all
allow=ulaw
direct_media=no
dtmf_mode=rfc4733
media_address=${address}
bind_rtp_to_media_address=yes
aors=carrier
[carrier]
type=aor
contact=sip:${trunk}
[carrier]
type=identify
endpoint=carrier
match=127.0.0.0/8
`;
