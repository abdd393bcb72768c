/** Projects in Redis, held in memory by each node. */
import type { Project, ProjectStore } from '../../../calls/projects/project-store.ts';
import type { SharedTable } from './shared-table.ts';

export function redisProjects(table: SharedTable): ProjectStore {
  return {
    async create(project) {
      const { projectId } = project;
      if (!(await table.put(projectId, JSON.stringify(project), 'new')))
        throw new Error(`there is a project ${projectId}`);
    },
    createFirst: (project) => table.put(project.projectId, JSON.stringify(project), 'first'),
    update: (project) => table.put(project.projectId, JSON.stringify(project), 'known'),
    remove: (projectId) => table.remove(projectId),
    find(projectId) {
      const text = table.get(projectId);
      return text === undefined ? undefined : (JSON.parse(text) as Project);
    },
    list: () =>
      table
        .entries()
        .map(([, text]) => JSON.parse(text) as Project)
        .sort((a, b) => a.createdMs - b.createdMs),
  };
}
