/** Screen `/settings/:kind`: selects the settings page. */
import './settings.css';
import type { ScreenProps } from '../shell/screen.ts';
import { AdministratorsPage } from './administrators.tsx';
import { ChangesPage } from './changes.tsx';
import { HealthPage } from './health.tsx';
import { ProjectsPage } from './projects.tsx';
import { PromptsPage } from './prompts.tsx';
import { ResourcePage } from './resource-page.tsx';
import { RESOURCES } from './resources.ts';
import { SchedulesPage } from './schedules.tsx';
import { UsersPage } from './users.tsx';
import { WebhooksPage } from './webhooks.tsx';

const PAGES = {
  administrators: AdministratorsPage,
  prompts: PromptsPage,
  schedules: SchedulesPage,
  projects: ProjectsPage,
  webhooks: WebhooksPage,
  changes: ChangesPage,
  health: HealthPage,
} as const;

export function Settings({ params }: ScreenProps) {
  const { kind = 'numbers' } = params;
  const resource = RESOURCES.find(({ slug }) => slug === kind);
  if (resource?.slug === 'users') return <UsersPage resource={resource} />;
  if (resource) return <ResourcePage resource={resource} />;
  const Own = PAGES[kind as keyof typeof PAGES] ?? HealthPage;
  return <Own />;
}
