/** Table of the settings pages, also searched by the command palette. */
export const SETTINGS_PAGES = [
  { slug: 'numbers', title: 'Numbers' },
  { slug: 'users', title: 'Users' },
  { slug: 'routes', title: 'Routes' },
  { slug: 'prompts', title: 'Prompts' },
  { slug: 'schedules', title: 'Schedules' },
  { slug: 'projects', title: 'Projects' },
  { slug: 'administrators', title: 'Administrators' },
  { slug: 'webhooks', title: 'Webhooks' },
  { slug: 'changes', title: 'Changes' },
  { slug: 'nodes', title: 'Nodes' },
  { slug: 'health', title: 'Health' },
] as const;
