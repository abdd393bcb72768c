/**
 * Tokens that let somebody do one thing, once, within a time. What a token says is sealed (AES-256-GCM) with the secret of
 * its project, so that nobody reads or forges it; that it was used is kept in the store, so that a restart does not make it
 * new. Tokens of one purpose are nothing to another one.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Clock } from './clock.ts';
import { drawBytes, type Ids } from './ids.ts';

export type TokenCheck<Holder> =
  | { holder: Holder & { projectId: string }; tokenId: string; expiresMs: number }
  | { refused: 'malformed' | 'forged' | 'expired' | 'used' | 'foreign' };

export interface SealedTokens<Holder> {
  issue(projectId: string, holder: Holder): string;
  /** Uses it up, unless it is only looked at. Where it is not for this, it is `foreign`, and stays good. */
  redeem(token: string, options?: { isLook?: boolean; isFor?: (holder: Holder) => boolean }): TokenCheck<Holder>;
}

export interface UsedTokens {
  /** True the first time; remembered until `expiresMs`. */
  useToken(tokenId: string, expiresMs: number, nowMs: number): boolean;
  isTokenUsed(tokenId: string): boolean;
}

export interface TokenParts {
  store: UsedTokens;
  clock: Clock;
  ids: Ids;
  /** Of a project, the present one first: it seals, and all of them open. None: there is no such project. */
  secretsOf(projectId: string): readonly string[];
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const MAX_TOKEN_LENGTH = 16_384;

export function createSealedTokens<Holder extends object>(
  { purpose, lifetimeMs }: { purpose: string; lifetimeMs: number },
  { store, clock, ids, secretsOf }: TokenParts,
): SealedTokens<Holder> {
  /** By project: of the secrets that it has now. */
  const known = new Map<string, { secret: string; key: KeyObject }[]>();
  const keysOf = (projectId: string): KeyObject[] => {
    const before = known.get(projectId) ?? [];
    const now = secretsOf(projectId).map(
      (secret) => before.find((one) => one.secret === secret) ?? { secret, key: keyOf(secret) },
    );
    if (now.length > 0) known.set(projectId, now);
    else known.delete(projectId);
    return now.map(({ key }) => key);
  };
  const keyOf = (secret: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));

  return {
    issue(projectId, holder) {
      const [key] = keysOf(projectId);
      if (key === undefined) throw new Error(`there is no project ${projectId}`);
      const content = { ...holder, id: ids.next('token'), expiresMs: clock.now() + lifetimeMs };
      const nonce = drawBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(projectId));
      const sealed = [cipher.update(JSON.stringify(content)), cipher.final()];
      const bytes = Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
      return `${Buffer.from(projectId).toString('base64url')}.${bytes.toString('base64url')}`;
    },

    redeem(token, { isLook = false, isFor } = {}) {
      const [project, sealed, ...more] = token.length > MAX_TOKEN_LENGTH ? [] : token.split('.').map(bytesOf);
      if (!project || !sealed || more.length > 0) return { refused: 'malformed' };
      const projectId = project.toString();
      const content = keysOf(projectId)
        .map((key) => opened<Holder>(sealed, key, projectId))
        .find((found) => found !== undefined);
      if (content === undefined) return { refused: 'forged' };
      const { id, expiresMs, ...rest } = content;
      const holder = rest as unknown as Holder;
      if (clock.now() >= expiresMs) return { refused: 'expired' };
      if (isFor?.(holder) === false) return { refused: 'foreign' };
      const isFresh = isLook ? !store.isTokenUsed(id) : store.useToken(id, expiresMs, clock.now());
      return isFresh ? { holder: { ...holder, projectId }, tokenId: id, expiresMs } : { refused: 'used' };
    },
  };
}

type Content<Holder> = Holder & { id: string; expiresMs: number };

/** Undefined: nothing, or not as we write it. Node skips characters that say nothing, such as a single one at the end. */
function bytesOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === text ? bytes : undefined;
}

function opened<Holder>(bytes: Buffer, key: KeyObject, projectId: string): Content<Holder> | undefined {
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
  const tagEnd = NONCE_BYTES + TAG_BYTES;
  try {
    const cipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(projectId));
    cipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
    return JSON.parse(Buffer.concat([cipher.update(bytes.subarray(tagEnd)), cipher.final()]).toString());
  } catch {
    return undefined;
  }
}
