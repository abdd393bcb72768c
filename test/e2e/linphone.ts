/** Another real softphone: linphonec, with a WAV file as its microphone, controlled over its console. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { watch } from './watch.ts';

export interface Linphone {
  /** Its SIP address, for calls to it. */
  readonly uri: string;
  /** Types a console line: `call sip:…`, `answer`, `terminate`, `pause`, `transfer 1 sip:…`, `123#` for DTMF … */
  type(line: string): void;
  /** Resolves when its console shows this, also when it already did since the last `type`. */
  shows(pattern: RegExp, withinMs?: number): Promise<void>;
  /** WAV file of the received audio, complete once the phone has stopped. */
  readonly heard: string;
  stop(): Promise<void>;
}

export interface LinphoneOptions {
  directory: string;
  port: number;
  rtpPort: number;
  /** WAV file (8 kHz, mono) that it says. */
  says: string;
  name?: string;
  /** True to answer automatically. */
  answers?: boolean;
  /** Insists on encrypted sound. */
  srtp?: boolean;
  /** Sends keys by INFO, and has no telephone-event. */
  keysByInfo?: boolean;
}

export async function startLinphone(options: LinphoneOptions): Promise<Linphone> {
  const {
    directory,
    port,
    rtpPort,
    says,
    name = 'linphone',
    answers = false,
    srtp = false,
    keysByInfo = false,
  } = options;
  // Without its database it would not listen, and would not say why.
  mkdirSync(join(directory, '.local/share/linphone'), { recursive: true });
  mkdirSync(join(directory, '.config/linphone'), { recursive: true });
  const heard = join(directory, 'heard.wav');
  const settings = join(directory, 'settings');
  writeFileSync(
    settings,
    [
      '[sip]',
      `sip_port=${port}`,
      'sip_tcp_port=0',
      'sip_tls_port=0',
      'guess_hostname=0',
      'register_only_when_network_is_up=0',
      `contact="${name}" <sip:${name}@127.0.0.1>`,
      ...(keysByInfo ? ['use_info=1', 'use_rfc2833=0'] : []),
      ...(srtp ? ['media_encryption=srtp', 'media_encryption_mandatory=1'] : []),
      '[net]',
      'firewall_policy=0',
      '[rtp]',
      `audio_rtp_port=${rtpPort}`,
      '[video]',
      'enabled=0',
      '',
    ].join('\n'),
  );
  const child = spawn('linphonec', ['-c', settings, '-d', '0', ...(answers ? ['-a'] : [])], {
    env: { ...process.env, HOME: directory },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const news = watch();
  let shown = '';
  let since = 0;
  const take = (chunk: Buffer): void => {
    shown += chunk.toString('utf8');
    news.look();
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  child.stdin.on('error', () => {});
  const type = (line: string): void => {
    since = shown.length;
    child.stdin.write(`${line}\n`);
  };
  const shows = (pattern: RegExp, withinMs = 15_000): Promise<void> =>
    news.until(
      () => pattern.test(shown.slice(since)),
      () => `linphonec did not show ${pattern}; it showed ${shown.slice(-2000)}`,
      withinMs,
    );

  await shows(/linphonec> /);
  // On a machine with an IPv6 address it would offer that one alone.
  type('ipv6 disable');
  type('soundcard use files');
  await shows(/Using wav files/);
  type(`play ${says}`);
  type(`record ${heard}`);
  return {
    uri: `sip:${name}@127.0.0.1:${port}`,
    type,
    shows,
    heard,
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.stdin.end('terminate\nquit\n');
        setTimeout(() => child.kill('SIGKILL'), 3_000).unref();
      }),
  };
}
