/** Choice that a person has to make before steps are deleted. */
import type { Deletion } from '../text/delete-steps.ts';

export interface DeletionChoice extends Deletion {
  take(target: string, along: readonly string[]): void;
}
