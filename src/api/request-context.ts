/** What is known of a request while it is handled; kept with its response. */
import type { Response } from 'express';
import type { Project } from '../calls/project-store.ts';
import type { JsonObject } from '../core/json.ts';
import type { Family } from './problems.ts';

/** What the request is about, for the body of an error. */
export interface About {
  family: Family;
  voiceId?: string;
  from?: string;
  to?: string;
  play?: boolean;
  /** Of a broadcast. */
  application?: JsonObject;
}

interface Known {
  about?: About;
  project?: Project;
  requestId?: string;
}

const known = (res: Response): Known => res.locals as Known;

export function aboutOf(res: Response): About {
  const kept = known(res);
  kept.about ??= { family: 'voice' };
  return kept.about;
}

/** The project that signed in: there on every route behind the sign-in. */
export function projectOf(res: Response): Project {
  const { project } = known(res);
  if (!project) throw new Error('a route without a sign-in asks for the project');
  return project;
}

export const signedInProject = (res: Response): Project | undefined => known(res).project;

export function signIn(res: Response, project: Project): void {
  known(res).project = project;
}

export const requestIdOf = (res: Response): string => known(res).requestId ?? '';

export function setRequestId(res: Response, requestId: string): void {
  known(res).requestId = requestId;
}
