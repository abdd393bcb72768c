/**
 * Tokens that authorise their holder for one purpose and a limited time. The content is encrypted (AES-256-GCM) with
 * the secret of the project, so that it can be neither read nor forged. A token of one purpose is refused for any
 * other. Neighbour: `single-use-tokens.ts`, for tokens that can be used once.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Clock } from './clock.ts';
import { drawBytes, type Ids } from './ids.ts';

export interface ReadToken<Holder> {
  holder: Holder & { projectId: string };
  tokenId: string;
  expiresMs: number;
}

export type TokenReading<Holder> = ReadToken<Holder> | { refused: 'malformed' | 'forged' | 'expired' | 'foreign' };

export interface SealedTokens<Holder> {
  issue(projectId: string, holder: Holder): string;
  /** Returns the content, whether or not the token was used. Refused as `foreign` if `isFor` is false of the holder. */
  read(token: string, isFor?: (holder: Holder) => boolean): TokenReading<Holder>;
}

export interface TokenParts {
  clock: Clock;
  ids: Ids;
  /**
   * Secrets of a project, the current one first: it encrypts, and all of them decrypt. Empty if the project does not
   * exist.
   */
  secretsOf(projectId: string): readonly string[];
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const MAX_TOKEN_LENGTH = 16_384;

export function createSealedTokens<Holder extends object>(
  { purpose, lifetimeMs }: { purpose: string; lifetimeMs: number },
  { clock, ids, secretsOf }: TokenParts,
): SealedTokens<Holder> {
  /** Keys by project, of its current secrets. */
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

    read(token, isFor) {
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
      return { holder: { ...holder, projectId }, tokenId: id, expiresMs };
    },
  };
}

type Content<Holder> = Holder & { id: string; expiresMs: number };

/**
 * Undefined if the text is empty or not canonical base64url: Node ignores characters without effect, such as a single
 * one at the end.
 */
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
