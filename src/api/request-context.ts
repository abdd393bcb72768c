/** What is known about a request while it is handled; kept with its response. */
import type { Response } from 'express';
import type { Project } from '../calls/project-store.ts';
import type { TraceContext } from '../core/trace-context.ts';
import type { SignedIn } from './admin/admin-auth.ts';
import type { ErrorContext } from './api-error.ts';

interface RequestState {
  errorContext?: ErrorContext;
  /** The one that signed in. */
  project?: Project;
  /** Of the admin API; or signed in to the studio, and acts for the project. */
  administrator?: SignedIn;
  requestId?: string;
  /** Another node has taken the request, and checked who signed in. */
  forwarded?: { projectId?: string; administrator?: SignedIn; digest: string };
  /** Its path, with `{names}`; absent as long as none was found. */
  route?: string;
  /** Of the request, where there are traces. */
  trace?: TraceContext;
}

export const stateOf = (res: Response): RequestState => res.locals as RequestState;

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
