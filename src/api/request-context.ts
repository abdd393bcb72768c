/** What is known of a request while it is handled; kept with its response. */
import type { Response } from 'express';
import type { Project } from '../calls/project-store.ts';
import type { JsonObject } from '../core/json.ts';
import type { ErrorFormat } from './api-error.ts';

/** What the request is about, for the body of an error. */
export interface RequestErrorContext {
  format: ErrorFormat;
  voiceId?: string;
  from?: string;
  to?: string;
  play?: boolean;
  /** Of a broadcast. */
  application?: JsonObject;
}

interface RequestState {
  about?: RequestErrorContext;
  project?: Project;
  requestId?: string;
}

const stateOf = (res: Response): RequestState => res.locals as RequestState;

export function errorContextOf(res: Response): RequestErrorContext {
  const kept = stateOf(res);
  kept.about ??= { format: 'voice' };
  return kept.about;
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
