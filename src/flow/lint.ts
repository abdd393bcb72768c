/** The sense of a flow whose shape is right. */
import type { Diagnostic } from '../core/diagnostic.ts';
import type { Draft } from './compile.ts';

export function lint(_draft: Draft): Diagnostic[] {
  return [];
}
