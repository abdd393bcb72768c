/** The projects in memory. */
import type { Project, ProjectStore } from '../../calls/project-store.ts';

export class MemoryProjects implements ProjectStore {
  readonly #projects = new Map<string, Project>();

  create(project: Project): void {
    if (this.#projects.has(project.projectId)) throw new Error(`there is a project ${project.projectId}`);
    this.#projects.set(project.projectId, { ...project });
  }

  update(project: Project): boolean {
    if (!this.#projects.has(project.projectId)) return false;
    this.#projects.set(project.projectId, { ...project });
    return true;
  }

  remove(projectId: string): boolean {
    return this.#projects.delete(projectId);
  }

  find(projectId: string): Project | undefined {
    const project = this.#projects.get(projectId);
    return project && { ...project };
  }

  list(): Project[] {
    return [...this.#projects.values()].map((project) => ({ ...project })).sort((a, b) => a.createdMs - b.createdMs);
  }
}
