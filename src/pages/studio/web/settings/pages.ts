/** Table of the settings pages, also searched by the command palette. */
import { t } from '../../../shared/web/words/translate.ts';

export const SETTINGS_PAGES = [
  { slug: 'numbers', title: t('Numbers') },
  { slug: 'users', title: t('Users') },
  { slug: 'routes', title: t('Routes') },
  { slug: 'prompts', title: t('Prompts') },
  { slug: 'schedules', title: t('Schedules') },
  { slug: 'projects', title: t('Projects') },
  { slug: 'administrators', title: t('Administrators') },
  { slug: 'webhooks', title: t('Webhooks') },
  { slug: 'changes', title: t('Changes') },
  { slug: 'nodes', title: t('Nodes') },
  { slug: 'health', title: t('Health') },
] as const;
