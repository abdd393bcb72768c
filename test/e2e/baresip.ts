/** A real softphone: baresip, with a WAV file as its microphone, controlled over its control port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { watch } from './watch.ts';

interface Message {
  event?: boolean;
  type?: string;
  param?: string;
  response?: boolean;
  ok?: boolean;
  data?: string;
}

export interface Softphone {
  /** Its SIP address, for calls to it. */
  readonly uri: string;
  command(name: string, params?: string): Promise<void>;
  /** Whether its account is taken, once that is known: events may be older than the connection to the control port. */
  registers(): Promise<boolean>;
  /** Resolves with the first (or `times`th) event of this type, also if it has already arrived. */
  event(type: string, withinMs?: number, times?: number): Promise<void>;
  /** Digits received from the other end. */
  keys(): string;
  /** WAV files of the received audio, one for each call, in order; complete once the call has ended. */
  heard(): string[];
  stop(): Promise<void>;
}

export interface SoftphoneOptions {
  directory: string;
  address: string;
  /** WAV file (8 kHz, mono) that the phone plays in a loop. */
  says: string;
  /** SIP account line; by default one that does not register. */
  account?: string;
  /** SIP port; it must be unique among the phones of a test. */
  port?: number;
  controlPort?: number;
  /** True to answer automatically; otherwise `accept` and `hangup` decide. */
  answers?: boolean;
  modules?: string[];
}

export async function startSoftphone(options: SoftphoneOptions): Promise<Softphone> {
  const { directory, address, says, account, port = 15060, controlPort = 14444, answers = true } = options;
  const recordings = join(directory, 'heard');
  mkdirSync(recordings, { recursive: true });
  const modules = ['g711', 'uuid', 'aufile', 'aubridge', 'sndfile', ...(options.modules ?? [])].map(
    (name) => `module ${name}.so`,
  );
  writeFileSync(
    join(directory, 'config'),
    [
      'poll_method epoll',
      `sip_listen ${address}:${port}`,
      `net_interface ${address}`,
      `audio_player aubridge,nil-${address}`,
      `audio_source aufile,${says}`,
      'audio_alert aufile,/dev/null',
      'ausrc_srate 8000',
      'auplay_srate 8000',
      'rtp_ports 21000-21999',
      'module_path /usr/lib/baresip/modules',
      ...modules,
      'module_tmp account.so',
      'module_app menu.so',
      'module_app ctrl_tcp.so',
      `ctrl_tcp_listen ${address}:${controlPort}`,
      `snd_path ${recordings}`,
      '',
    ].join('\n'),
  );
  const line = account ?? `<sip:phone@${address}>;regint=0`;
  const answermode = answers ? 'auto' : 'manual';
  writeFileSync(
    join(directory, 'accounts'),
    `${line};answermode=${answermode};dtmfmode=rtpevent;audio_codecs=PCMU,PCMA\n`,
  );
  writeFileSync(join(directory, 'contacts'), '');
  const child = spawn('baresip', ['-f', directory], { stdio: ['ignore', 'ignore', 'ignore'] });
  const control = await connected(address, controlPort);
  const messages: Message[] = [];
  const news = watch();
  readNetstrings(control, (text) => {
    messages.push(JSON.parse(text) as Message);
    news.look();
  });

  const until = (found: () => boolean, what: string, withinMs: number): Promise<void> =>
    news.until(found, () => `baresip: no ${what}; it told ${JSON.stringify(messages)}`, withinMs);

  const command = async (name: string, params = ''): Promise<string> => {
    const responses = () => messages.filter(({ response }) => response);
    const before = responses().length;
    const text = JSON.stringify({ command: name, params, token: name });
    control.write(`${Buffer.byteLength(text)}:${text},`);
    await until(() => responses().length > before, `answer to ${name}`, 5_000);
    return responses()[before]?.data ?? '';
  };

  return {
    uri: `sip:phone@${address}:${port}`,
    async command(name, params) {
      await command(name, params);
    },
    async registers() {
      for (let attempt = 0; attempt < 100; attempt++) {
        // In colour.
        const known = /m(OK|ERR)/.exec(await command('reginfo'))?.[1];
        if (known !== undefined) return known === 'OK';
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error('baresip: no answer to its registration');
    },
    event: (type, withinMs = 15_000, times = 1) =>
      until(() => messages.filter((message) => message.type === type).length >= times, type, withinMs),
    keys: () => messages.map(({ type, param }) => (type === 'CALL_DTMF_START' ? param : '')).join(''),
    heard: () =>
      readdirSync(recordings)
        .filter((file) => file.endsWith('-dec.wav'))
        .sort()
        .map((file) => join(recordings, file)),
    stop: () => ended(child, control),
  };
}

async function connected(address: string, port: number): Promise<Socket> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await new Promise<Socket>((resolve, reject) => {
        const socket = connect(port, address, () => resolve(socket));
        socket.once('error', reject);
      });
    } catch (error) {
      if (attempt >= 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** `<length>:<text>,` over and over. */
function readNetstrings(socket: Socket, receive: (text: string) => void): void {
  let buffered = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    for (;;) {
      const colon = buffered.indexOf(':');
      const length = Number(buffered.subarray(0, Math.max(0, colon)).toString());
      if (colon < 0 || buffered.length < colon + 1 + length + 1) return;
      receive(buffered.subarray(colon + 1, colon + 1 + length).toString());
      buffered = buffered.subarray(colon + 1 + length + 1);
    }
  });
}

function ended(child: ChildProcess, control: Socket): Promise<void> {
  control.destroy();
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), 2_000).unref();
  });
}
