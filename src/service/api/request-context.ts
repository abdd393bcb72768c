/** State of a request while it is handled, stored with its response. */
import type { Response } from 'express';
import type { TraceContext } from '../../base/core/trace-context.ts';
import type { Project } from '../calls/projects/project-store.ts';
import type { SignedIn } from './admin-auth.ts';
import type { ErrorContext } from './api-error.ts';

interface RequestState {
  errorContext?: ErrorContext;
  /** Authenticated project. */
  project?: Project;
  /** Authenticated administrator of the admin API, or of the studio, acting for the project. */
  administrator?: SignedIn;
  requestId?: string;
  /** Set if another node has authenticated and forwarded the request. */
  forwarded?: { projectId?: string; administrator?: SignedIn; digest: string };
  /** Route path with `{names}`. Absent until a route matches. */
  route?: string;
  /** Absent if tracing is disabled. */
  trace?: TraceContext;
}

export const stateOf = (res: Response): RequestState => res.locals as RequestState;

export function errorContextOf(res: Response): ErrorContext {
  const state = stateOf(res);
  state.errorContext ??= { format: 'voice' };
  return state.errorContext;
}

/** Authenticated project. Available on every route behind authentication. */
export function signedInProjectOf(res: Response): Project {
  const { project } = stateOf(res);
  if (!project) throw new Error('a route without a sign-in asks for the project');
  return project;
}
