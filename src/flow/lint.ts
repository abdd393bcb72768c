/**
 * The sense of a flow whose shape is right: what the route graph, the expressions and the arguments give away before a
 * caller finds it. Each check lives in one of the `lint-*.ts` beside this file and only tells what is wrong; here it
 * becomes data.
 */
import { type Diagnostic, hasErrors } from '../core/diagnostic.ts';
import type { Draft } from './compile.ts';
import { diagnose } from './document.ts';
import { lintExpressions } from './lint-expressions.ts';
import { lintGraph } from './lint-graph.ts';
import { lintPrompts } from './lint-prompts.ts';
import { lintRoutes } from './lint-routes.ts';
import { lintSteps } from './lint-steps.ts';

export function lint(draft: Draft): Diagnostic[] {
  const tell = (check: typeof lintRoutes) => [...check(draft)].map((complaint) => diagnose(draft.document, complaint));
  const routes = tell(lintRoutes);
  // A route that leads nowhere makes steps unreachable: one mistake, one message.
  const graph = hasErrors(routes) ? [] : tell(lintGraph);
  return [...routes, ...graph, ...tell(lintSteps), ...tell(lintPrompts), ...tell(lintExpressions)];
}
