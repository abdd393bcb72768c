/**
 * Sealed tokens that can be used once. Used tokens are recorded in the store, so that neither a restart nor another
 * node accepts a token again. Neighbour: `sealed-tokens.ts`.
 * Invariants
 *  - a token is accepted once, on whichever node it is presented;
 *  - a token that is expired, forged or of another purpose is refused without a request to the store, and is not used
 *    up;
 *  - if the store cannot tell whether a token was used, it is refused as `unchecked`.
 */
import {
  createSealedTokens,
  type ReadToken,
  type SealedTokens,
  type TokenParts,
  type TokenReading,
} from './sealed-tokens.ts';

export type TokenCheck<Holder> = TokenReading<Holder> | { refused: 'used' | 'unchecked' };
export type TokenRefusal = Extract<TokenCheck<unknown>, { refused: string }>['refused'];

/**
 * Port: the ids of used tokens. Implemented in `store/`; the contract suite is `test/contracts/store/used-tokens.ts`.
 */
export interface UsedTokens {
  /**
   * Calls back once, synchronously if only this process stores them. The result is true for the first use of a token,
   * undefined if the store is unavailable. The use is recorded until the token expires.
   */
  use(use: TokenUse, done: (isFirst: boolean | undefined) => void): void;
  /** Calls back in the same way, without marking the token as used. */
  isUsed(tokenId: string, done: (isUsed: boolean | undefined) => void): void;
}

export interface TokenUse {
  tokenId: string;
  expiresMs: number;
  nowMs: number;
}

export interface SingleUseTokens<Holder> extends SealedTokens<Holder> {
  /** Calls back once, synchronously if no other process is involved. Uses the token up. */
  redeem(token: string, done: (check: TokenCheck<Holder>) => void, isFor?: (holder: Holder) => boolean): void;
  /** Calls back in the same way; the token stays valid. */
  look(token: string, done: (check: TokenCheck<Holder>) => void, isFor?: (holder: Holder) => boolean): void;
  /** Makes a token invalid. Calls back in the same way: `used` if it was used before or has expired. */
  revoke(token: string, done: (state: 'revoked' | 'used' | 'unchecked') => void): void;
}

export interface SingleUseTokenParts extends TokenParts {
  used: UsedTokens;
}

export function createSingleUseTokens<Holder extends object>(
  options: { purpose: string; lifetimeMs: number },
  { used, ...parts }: SingleUseTokenParts,
): SingleUseTokens<Holder> {
  const tokens = createSealedTokens<Holder>(options, parts);
  const { clock } = parts;
  const checkOf = (read: ReadToken<Holder>, isFresh: boolean | undefined): TokenCheck<Holder> => {
    if (isFresh === undefined) return { refused: 'unchecked' };
    return isFresh ? read : { refused: 'used' };
  };
  return {
    ...tokens,
    redeem(token, done, isFor) {
      const read = tokens.read(token, isFor);
      if ('refused' in read) return done(read);
      const { tokenId, expiresMs } = read;
      used.use({ tokenId, expiresMs, nowMs: clock.now() }, (isFirst) => done(checkOf(read, isFirst)));
    },
    revoke(token, done) {
      const read = tokens.read(token);
      if ('refused' in read) return done('used');
      const { tokenId, expiresMs } = read;
      used.use({ tokenId, expiresMs, nowMs: clock.now() }, (isFirst) =>
        done(isFirst === undefined ? 'unchecked' : isFirst ? 'revoked' : 'used'),
      );
    },
    look(token, done, isFor) {
      const read = tokens.read(token, isFor);
      if ('refused' in read) return done(read);
      used.isUsed(read.tokenId, (isUsed) => done(checkOf(read, isUsed === undefined ? undefined : !isUsed)));
    },
  };
}
