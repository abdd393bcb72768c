/** Directory of a project without numbers. */
import type { NumberDirectory } from '../../service/calls/numbers/numbers.ts';

export const NO_NUMBERS: NumberDirectory = {
  find: () => undefined,
  shared: () => [],
  belongsTo: () => false,
  of: () => [],
  outboundGreeting: () => undefined,
};
