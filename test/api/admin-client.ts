/** Somebody with the token of administration. */
import type { ApiResponse, ApiRig, ApiRigOptions } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

export const TOKEN = 'a-token-of-the-administrator';
export const ADMIN = `admin: { token: ${TOKEN} }\n`;

export type Administrator = (method: string, path: string, body?: unknown) => Promise<ApiResponse>;

export const administratorOf =
  (rig: ApiRig): Administrator =>
  (method, path, body) =>
    rig.request(method, `/admin/v1${path}`, body, { as: false, headers: { authorization: `Bearer ${TOKEN}` } });

/** A service that has an administrator. */
export async function administered(options: ApiRigOptions = {}): Promise<{ rig: ApiRig; admin: Administrator }> {
  const rig = await openRig({ ...options, config: (options.config ?? NUMBERS) + ADMIN });
  return { rig, admin: administratorOf(rig) };
}

/** Sends a sound as it is. */
export async function sendSound(rig: ApiRig, path: string, bytes: Uint8Array, type = 'audio/wav'): Promise<Response> {
  return fetch(`${rig.base}/admin/v1${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': type },
    body: new Uint8Array(bytes),
  });
}
