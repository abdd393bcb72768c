/** Room 6b: the studio: its page and files, and who is signed in. */
import { createSessions, type Sessions } from '../api/studio/sessions.ts';
import { createAssets } from '../pages/assets.ts';
import { createSite } from '../pages/site.ts';
import { STUDIO } from '../studio/page.ts';
import type { Base } from './base.ts';
import type { Provisioning } from './provisioning.ts';

export interface Studio {
  sessions: Sessions;
  site: ReturnType<typeof createSite>;
  /** Makes its files before somebody asks for them. */
  prepare(): void;
}

/** Undefined where the configuration has switched it off. */
export function createStudio(
  { config, clock, log, state }: Base,
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
    site: createSite(STUDIO, assets, warn),
    prepare: () => void assets.get().catch((error: Error) => warn(error.message)),
  };
}
