/** Somebody with the token of administration. */
import type { Answer, Rig, RigOptions } from './rig.ts';
import { NUMBERS, rigOf } from './rigs.ts';

export const TOKEN = 'a-token-of-the-administrator';
export const ADMIN = `admin: { token: ${TOKEN} }\n`;

export type Administrator = (method: string, path: string, body?: unknown) => Promise<Answer>;

export const administratorOf =
  (rig: Rig): Administrator =>
  (method, path, body) =>
    rig.ask(method, `/admin/v1${path}`, body, { as: false, headers: { authorization: `Bearer ${TOKEN}` } });

/** A service that has an administrator. */
export async function administered(options: RigOptions = {}): Promise<{ rig: Rig; admin: Administrator }> {
  const rig = await rigOf({ ...options, config: (options.config ?? NUMBERS) + ADMIN });
  return { rig, admin: administratorOf(rig) };
}

/** Sends a sound as it is. */
export async function sendSound(rig: Rig, path: string, bytes: Uint8Array, type = 'audio/wav'): Promise<Response> {
  return fetch(`${rig.base}/admin/v1${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': type },
    body: new Uint8Array(bytes),
  });
}
