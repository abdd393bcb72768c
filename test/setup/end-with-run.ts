/** A worker whose run was killed ends as well, and kills the processes that it started. */
import { killLeftovers, MARK } from './leftovers.ts';

process.once('disconnect', () => {
  const mark = process.env[MARK];
  if (mark !== undefined) killLeftovers(mark);
  process.exit(1);
});
