/**
 * Sealed tokens that are good once. The used ones are kept in the store, so that neither a restart nor another node of the
 * service takes a token again. Neighbour: `sealed-tokens.ts`.
 *
 * Invariants
 *  - a token is let in once, on whichever node it is shown;
 *  - a token that is expired, forged or for something else is refused without asking the store, and is not used up;
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

/** Port: the ids of used tokens. Implemented in `store/`; the contract suite is `contracts/store/used-tokens.ts`. */
export interface UsedTokens {
  /**
   * Calls back once, at once if this process alone keeps them: true for the first use of a token; undefined if that cannot
   * be known now. The use is remembered as long as any node takes the token.
   */
  use(use: TokenUse, done: (isFirst: boolean | undefined) => void): void;
  /** Calls back likewise; marks nothing as used. */
  isUsed(tokenId: string, done: (isUsed: boolean | undefined) => void): void;
}

export interface TokenUse {
  tokenId: string;
  expiresMs: number;
  nowMs: number;
}

export interface SingleUseTokens<Holder> extends SealedTokens<Holder> {
  /** Calls back once, at once if no other process is asked. Uses the token up. */
  redeem(token: string, done: (check: TokenCheck<Holder>) => void, isFor?: (holder: Holder) => boolean): void;
  /** Calls back likewise; the token stays good. */
  look(token: string, done: (check: TokenCheck<Holder>) => void, isFor?: (holder: Holder) => boolean): void;
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
    look(token, done, isFor) {
      const read = tokens.read(token, isFor);
      if ('refused' in read) return done(read);
      used.isUsed(read.tokenId, (isUsed) => done(checkOf(read, isUsed === undefined ? undefined : !isUsed)));
    },
  };
}
