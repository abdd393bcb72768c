/** A worker whose run was killed ends too, and kills what it had started: nobody waits for its results any more. */
import { killLeftovers, MARK } from './leftovers.ts';

process.once('disconnect', () => {
  const mark = process.env[MARK];
  if (mark !== undefined) killLeftovers(mark);
  process.exit(1);
});
