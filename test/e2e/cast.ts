/** Phones of a test: each plays its own tone, so that the received audio identifies the senders. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Softphone, type SoftphoneOptions, startSoftphone } from './baresip.ts';
import { type Linphone, type LinphoneOptions, startLinphone } from './linphone.ts';
import { readSamples, writeTone } from './sound.ts';

/** baresip sends audio from 127.0.0.1 regardless of the address that it is configured to bind. */
export const PHONE_ADDRESS = '127.0.0.1';

/** Tones of the phones and of the music on hold: no tone is a multiple of another. */
export const TONE_HZ = { anna: 620, ben: 440, cora: 1040, dora: 740, music: 860, bot: 540 } as const;
export type Name = Exclude<keyof typeof TONE_HZ, 'music' | 'bot'>;

type Ports = { port: number; rtpPort: number; controlPort: number };

export interface Cast {
  /** Where a phone is reached, started or not. */
  uri(name: Name): string;
  linphone(name: Name, options?: Partial<LinphoneOptions>): Promise<Linphone>;
  baresip(name: Name, options?: Partial<SoftphoneOptions>): Promise<Softphone>;
  /** Stops all phones, which completes their recordings. */
  stop(): Promise<void>;
}

/** `firstPort`: a hundred ports for SIP from there, and as many for sound 2000 higher; each test file takes its own. */
export function castAt(firstPort: number): Cast {
  const running = new Set<{ stop(): Promise<void> }>();
  const names = Object.keys(TONE_HZ);
  const portsOf = (name: Name): Ports => {
    const at = names.indexOf(name);
    return { port: firstPort + 2 * at, controlPort: firstPort + 50 + at, rtpPort: firstPort + 2000 + 20 * at };
  };
  const common = (name: Name) => {
    const directory = mkdtempSync(join(tmpdir(), `callweave-${name}-`));
    const says = join(directory, 'says.wav');
    writeTone(says, TONE_HZ[name], 40);
    return { directory, says };
  };
  return {
    uri: (name) => `sip:${name}@${PHONE_ADDRESS}:${portsOf(name).port}`,
    async linphone(name, options) {
      const phone = await startLinphone({ name, ...common(name), ...portsOf(name), ...options });
      running.add(phone);
      return phone;
    },
    async baresip(name, options) {
      const account = `<sip:${name}@${PHONE_ADDRESS}>;regint=0`;
      const phone = await startSoftphone({
        ...common(name),
        address: PHONE_ADDRESS,
        account,
        ...portsOf(name),
        ...options,
      });
      running.add(phone);
      return phone;
    },
    async stop() {
      await Promise.all([...running].map((phone) => phone.stop()));
      running.clear();
    },
  };
}

/** Audio that a baresip received in all calls, one after the other. */
export function heardBy(phone: Linphone | Softphone): Float64Array {
  const files = typeof phone.heard === 'string' ? [phone.heard] : phone.heard();
  const sounds = files.map(readSamples);
  const all = new Float64Array(sounds.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const sound of sounds) {
    all.set(sound, at);
    at += sound.length;
  }
  return all;
}
