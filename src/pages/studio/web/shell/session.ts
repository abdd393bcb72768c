/** The studio session: sign-in, sign-out and permissions. */
import { signal } from '@preact/signals';
import { project, request, type ServiceError } from '../api.ts';

export interface Session {
  role: 'admin' | 'project' | 'nobody';
  /** For administrators, the name of the token. */
  name?: string;
  access?: 'full' | 'read';
  /** New token of an administrator that has accepted an invitation. The page shows it once. */
  token?: string;
  projects: { app_id: string; name: string }[];
  /** The service is in quarantine: it can be inspected, and refuses changes. */
  quarantined?: true;
  /** SIP address for phones. Without `host`, the host of this page. */
  sip?: { host?: string; port: number };
}

/** `unknown` until the service has answered. */
export const session = signal<Session | 'none' | 'unknown'>('unknown');

export const isAdministrator = (): boolean => typeof session.value === 'object' && session.value.role === 'admin';

/** True for a session with a read-only token: the service refuses all its changes. */
export const isReader = (): boolean => typeof session.value === 'object' && session.value.access === 'read';

/** True if the service is in quarantine: everything is readable, and changes are refused. */
export const isQuarantined = (): boolean => typeof session.value === 'object' && session.value.quarantined === true;

const PATH = '/studio/session';
const CODE = /^#code=([\w-]+)$/;

/** Redeems the sign-in code of the URL, if there is one, and removes it, because it is valid only once. */
export async function begin(): Promise<string | undefined> {
  const code = CODE.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  const failure = code === undefined ? undefined : await redeem(code);
  // A used link still opens the studio for users who are signed in.
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

/** Forgets the new token, once it was shown. */
export function forgetToken(): void {
  if (typeof session.value !== 'object') return;
  const { token: _, ...rest } = session.value;
  session.value = rest;
}

export type SignInCredentials = { token: string } | { appId: string; appKey: string };

export async function signIn(credentials: SignInCredentials): Promise<void> {
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
