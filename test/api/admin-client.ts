/** Client with the token of the admin API. */
import type { ApiResponse, ApiRig, ApiRigOptions } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

export const TOKEN = 'a-token-of-the-administrator';
export const ADMIN = `admin: { token: ${TOKEN} }\n`;

export type Administrator = (method: string, path: string, body?: unknown) => Promise<ApiResponse>;

export const administratorOf =
  (rig: ApiRig): Administrator =>
  (method, path, body) =>
    rig.request(method, `/admin/v1${path}`, body, { as: false, headers: { authorization: `Bearer ${TOKEN}` } });

/** As pages of the studio ask. */
export const FROM_STUDIO = { 'x-callweave-studio': '1', 'sec-fetch-site': 'same-origin' };

/** The headers of a session in the studio; `by` opens it: a token or a key, or the code of a link in the body. */
export async function studioSession(
  rig: ApiRig,
  by: Record<string, string>,
  body: object = {},
): Promise<Record<string, string>> {
  const answer = await rig.request('POST', '/studio/session', body, { as: false, headers: { ...FROM_STUDIO, ...by } });
  return { ...FROM_STUDIO, cookie: cookieOf(answer) };
}

const cookieOf = ({ headers }: ApiResponse): string => headers.get('set-cookie')!.split(';')[0]!;

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
