/** Hints for surviving mutants: the comparison that a test needs to detect them. */
import type { MutantKind } from './mutant.ts';

export const HINTS: Readonly<Record<MutantKind, string>> = {
  target: '`path` of a call that goes this way',
  exit: '`path` of a call that leaves the step by this outcome',
  event: '`path` of a call in which this happens',
  order: '`path`, or `hear` with one prompt after the other',
  key: '`press` this key, and `path`',
  duration: '`quiet` or `duration` of a call that waits as long as this',
  number: '`path` and `quiet` of a call that goes to this limit, and of one that goes a step beyond',
  switch: '`press` with `at`, `hear`, or `interrupted` of a call to which this makes a difference',
  argument: '`heard`, `path` or `requests` of a call to which this makes a difference',
  method: '`requests` with `method`',
  reason: '`ended` with `cause`',
  name: '`notified` with the name',
  sensitive: '`never: { trace_contains: … }` with the value that must not be seen',
  set: '`vars`, or what is made of the variable later: `hear`, `requests`, `notified`',
  default: '`hear`, `requests` or `notified` of a call in which nothing else sets the value',
  schedule: '`at` a minute before and after this moment, and `path`',
  prompt: '`hear` or `heard` with the prompts in order',
  text: '`hear` with the words instead of the key, or `duration`',
  condition: '`path` of two calls: with the last value on this side of the limit, and with the first on the other',
  variable: '`requests`, `notified` or `hear` with the value',
};
