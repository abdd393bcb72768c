/** Stage 6b of the composition: the studio, with its page, its files and its sessions. */
import { mkdirSync } from 'node:fs';
import { createAssets } from '../pages/shared/assets.ts';
import { createSite } from '../pages/shared/site.ts';
import { STUDIO } from '../pages/studio/page.ts';
import { createSessions, type Sessions } from '../service/api/sessions.ts';
import type { Base } from './base.ts';
import type { Provisioning } from './provisioning.ts';
import { redeemStudioCode, writeStudioCode } from './studio-links.ts';

export interface Studio {
  sessions: Sessions;
  /** Returns a link that signs an administrator in, once. The code is in the fragment, which browsers do not send. */
  link(): string;
  redeem(code: string): boolean;
  site: ReturnType<typeof createSite>;
  /** Builds the files before the first request. */
  prepare(): void;
}

/** Undefined if the configuration disables it. */
export function createStudio(
  { config, clock, directory, log, state }: Base,
  { administrators, projects }: Pick<Provisioning, 'administrators' | 'projects'>,
): Studio | undefined {
  if (!config.studio) return undefined;
  const assets = createAssets(STUDIO);
  state.closers.push(() => assets.stop());
  const warn = (why: string): void => log.warn('studio.not_made', { why });
  return {
    sessions: createSessions(clock, {
      administrators,
      projects,
      isSecure: config.http.publicUrl?.startsWith('https:') ?? false,
    }),
    link() {
      // The directory does not exist yet with an in-memory store.
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      return `${state.publicUrl}/studio/#code=${writeStudioCode(directory, clock.now())}`;
    },
    redeem: (code) => redeemStudioCode(directory, code, clock.now()),
    site: createSite(STUDIO, assets, warn),
    prepare: () => void assets.get().catch((error: Error) => warn(error.message)),
  };
}
