/** What is known about a request while it is handled; kept with its response. */
import type { Response } from 'express';
import type { Project } from '../calls/project-store.ts';
import type { ErrorContext } from './api-error.ts';

interface RequestState {
  errorContext?: ErrorContext;
  project?: Project;
  requestId?: string;
}

const stateOf = (res: Response): RequestState => res.locals as RequestState;

export function errorContextOf(res: Response): ErrorContext {
  const state = stateOf(res);
  state.errorContext ??= { format: 'voice' };
  return state.errorContext;
}

/** The project that signed in: there on every route behind the sign-in. */
export function signedInProjectOf(res: Response): Project {
  const { project } = stateOf(res);
  if (!project) throw new Error('a route without a sign-in asks for the project');
  return project;
}

export const signedInProject = (res: Response): Project | undefined => stateOf(res).project;

export function signIn(res: Response, project: Project): void {
  stateOf(res).project = project;
}

export const requestIdOf = (res: Response): string => stateOf(res).requestId ?? '';

export function setRequestId(res: Response, requestId: string): void {
  stateOf(res).requestId = requestId;
}
