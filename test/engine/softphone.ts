/** baresip, registered at an engine as one of its users, controlled over its control port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeTone } from '../e2e/sound.ts';

// baresip sends its audio from there, whatever address it is configured to bind.
const HOST = '127.0.0.1';
const SIP_PORT = 15_162;
const CONTROL_PORT = 14_462;

export interface SoftphoneOptions {
  directory: string;
  /** `host:port` of the engine, perhaps with a transport, and the user at it. */
  registrar: string;
  user: { name: string; password: string };
  encrypted: boolean;
}

export class Softphone {
  readonly #child: ChildProcess;
  readonly #control: Socket;
  #said = '';

  static async start({ directory, registrar, user, encrypted }: SoftphoneOptions): Promise<Softphone> {
    mkdirSync(directory, { recursive: true });
    const says = join(directory, 'says.wav');
    writeTone(says, 660, 60);
    const modules = ['g711', 'uuid', 'aufile', 'aubridge', 'srtp'].map((name) => `module ${name}.so`);
    const config = [
      `sip_listen ${HOST}:${SIP_PORT}`,
      `sip_cafile ${fileURLToPath(new URL('../sip/certificates/ca.pem', import.meta.url))}`,
      `net_interface ${HOST}`,
      'audio_player aubridge,nil-engine',
      `audio_source aufile,${says}`,
      'audio_alert aufile,/dev/null',
      'ausrc_srate 8000',
      'auplay_srate 8000',
      'rtp_ports 27000-27099',
      'module_path /usr/lib/baresip/modules',
      ...modules,
      'module_tmp account.so',
      'module_app menu.so',
      'module_app ctrl_tcp.so',
      `ctrl_tcp_listen ${HOST}:${CONTROL_PORT}`,
    ];
    writeFileSync(join(directory, 'config'), `${config.join('\n')}\n`);
    const account = [
      `<sip:${user.name}@${registrar}>;auth_pass=${user.password};regint=60`,
      'answermode=auto;dtmfmode=rtpevent;audio_codecs=PCMU,PCMA',
      ...(encrypted ? ['mediaenc=srtp-mand'] : []),
    ];
    writeFileSync(join(directory, 'accounts'), `${account.join(';')}\n`);
    writeFileSync(join(directory, 'contacts'), '');
    const child = spawn('baresip', ['-f', directory], { stdio: 'ignore' });
    return new Softphone(child, await connected());
  }

  private constructor(child: ChildProcess, control: Socket) {
    this.#child = child;
    this.#control = control;
    control.on('error', () => {});
    control.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
    });
  }

  /** Number of events of this type, such as `CALL_CLOSED`. */
  told(type: string): number {
    return this.#said.split(`"${type}"`).length - 1;
  }

  command(command: string, params = ''): void {
    const text = JSON.stringify({ command, params, token: command });
    this.#control.write(`${Buffer.byteLength(text)}:${text},`);
  }

  stop(): Promise<void> {
    this.#control.destroy();
    return new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.kill('SIGTERM');
    });
  }
}

async function connected(): Promise<Socket> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await new Promise<Socket>((resolve, reject) => {
        const socket = connect(CONTROL_PORT, HOST, () => resolve(socket));
        socket.once('error', reject);
      });
    } catch (error) {
      if (attempt >= 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
