/** Reads the section `admin`: the tokens of administrators, by name. */
import { childPointer } from '../base/schema/document.ts';
import type { AdminToken } from '../service/calls/settings/administrators.ts';
import type { ConfigContext, WrittenSecret } from './config-context.ts';
import type { ConfigFile } from './config-file.ts';

/** Name of the administrator with `admin.token`. */
export const FIRST_ADMINISTRATOR = 'admin';
const MIN_TOKEN_LENGTH = 24;

export function readAdminTokens(admin: ConfigFile['admin'], context: ConfigContext): AdminToken[] {
  const { token: first, tokens: named = [] } = admin ?? {};
  context.refuseDuplicates(
    '/admin/tokens/*/name',
    named.map(({ name }) => name),
    'name',
  );
  for (const [index, { name }] of named.entries()) {
    if (name !== FIRST_ADMINISTRATOR) continue;
    context.report(
      'duplicate',
      'this is the name of admin.token',
      `/admin/tokens/${index}/name`,
      'choose another name',
    );
  }
  const read: AdminToken[] = [];
  const add = (name: string, role: AdminToken['role'], written: WrittenSecret, pointer: string): void => {
    const token = readToken(written, pointer, context);
    const same = token === '' ? undefined : read.find((other) => other.token === token);
    if (same)
      context.report('duplicate', `this is the token of ${same.name}`, pointer, 'create a separate token for each');
    read.push({ name, role, token });
  };
  if (first !== undefined) add(FIRST_ADMINISTRATOR, 'full', first, '/admin/token');
  for (const [index, { name, role, token }] of named.entries())
    add(name, role, token, childPointer(`/admin/tokens/${index}`, 'token'));
  return read;
}

function readToken(written: WrittenSecret, pointer: string, context: ConfigContext): string {
  const token = context.secret(written, pointer);
  if (token !== '' && (token.length < MIN_TOKEN_LENGTH || /\s/.test(token))) {
    const hint = 'create one with  openssl rand -base64 32';
    const message = `the token must have at least ${MIN_TOKEN_LENGTH} characters and no spaces`;
    context.report('weak-key', message, pointer, hint);
  }
  return token;
}
