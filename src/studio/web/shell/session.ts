/** Who is signed in, and how one signs in and out. */
import { signal } from '@preact/signals';
import { project, request, type ServiceError } from '../api.ts';

export interface Session {
  role: 'admin' | 'project' | 'nobody';
  /** Of an administrator: the name of the token. */
  name?: string;
  access?: 'full' | 'read';
  projects: { app_id: string; name: string }[];
  /** The service can be looked at, and changes nothing. */
  quarantined?: true;
  /** Where phones call; without a host, where this page comes from. */
  sip?: { host?: string; port: number };
}

/** `unknown` until the service has answered. */
export const session = signal<Session | 'none' | 'unknown'>('unknown');

/** A token that may only read has signed in: the service refuses all changes. */
export const isReader = (): boolean => typeof session.value === 'object' && session.value.access === 'read';

/** Everything can be looked at, and nothing changed. */
export const isQuarantined = (): boolean => typeof session.value === 'object' && session.value.quarantined === true;

const PATH = '/studio/session';
const CODE = /^#code=([\w-]+)$/;

/** Uses the code of the address, if there is one, and takes it away: it would not work twice. */
export async function begin(): Promise<string | undefined> {
  const code = CODE.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  const failure = code === undefined ? undefined : await redeem(code);
  // A link that was used before still leads those to the studio who are signed in.
  if (typeof session.value !== 'object') keep(await request<Session>(PATH));
  return typeof session.value === 'object' ? undefined : failure;
}

async function redeem(code: string): Promise<string | undefined> {
  try {
    keep(await request<Session>(PATH, { method: 'POST', json: { code } }));
    return undefined;
  } catch (error) {
    return (error as ServiceError).message;
  }
}

export type Credentials = { token: string } | { appId: string; appKey: string };

export async function signIn(credentials: Credentials): Promise<void> {
  const authorization =
    'token' in credentials
      ? `Bearer ${credentials.token}`
      : `Basic ${btoa(`${credentials.appId}:${credentials.appKey}`)}`;
  keep(await request<Session>(PATH, { method: 'POST', headers: { authorization }, json: {} }));
}

export async function signOut(): Promise<void> {
  await request(PATH, { method: 'DELETE' }).catch(() => undefined);
  session.value = 'none';
}

function keep(found: Session): void {
  session.value = found.role === 'nobody' ? 'none' : found;
  const isThere = found.projects.some(({ app_id }) => app_id === project.value);
  if (!isThere) project.value = found.projects[0]?.app_id;
}
