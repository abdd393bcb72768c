/**
 * One-time codes of links to the studio, passed through files in the data directory: the service creates one for a
 * terminal, and `callweave studio` creates one at any time. Writing there requires the rights of the operator, so that
 * no link has to appear in a log. Neighbours: `service/api/session-routes.ts` redeems them, `cli/studio.ts`.
 * Invariant: a file contains the hash of a code, not the code. A code is valid once, for an hour.
 */
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, rmSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const PREFIX = 'studio-link-';
const LIFETIME_MS = 3_600_000;
const CODE_BYTES = 32;

/** Throws if the data directory cannot be written. Removes expired codes. */
export function writeStudioCode(dataDirectory: string, nowMs: number): string {
  for (const name of readdirSync(dataDirectory)) {
    const file = join(dataDirectory, name);
    if (name.startsWith(PREFIX) && !isFresh(file, nowMs)) rmSync(file, { force: true });
  }
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const file = fileOf(dataDirectory, code);
  closeSync(openSync(file, 'wx', 0o600));
  utimesSync(file, nowMs / 1000, nowMs / 1000);
  return code;
}

/** Uses the code up. Returns true if it was valid. */
export function redeemStudioCode(dataDirectory: string, code: string, nowMs: number): boolean {
  const file = fileOf(dataDirectory, code);
  try {
    const fresh = isFresh(file, nowMs);
    unlinkSync(file);
    return fresh;
  } catch {
    return false;
  }
}

const isFresh = (file: string, nowMs: number): boolean => Math.abs(nowMs - statSync(file).mtimeMs) < LIFETIME_MS;

const fileOf = (dataDirectory: string, code: string): string =>
  join(dataDirectory, PREFIX + createHash('sha256').update(code).digest('hex'));
