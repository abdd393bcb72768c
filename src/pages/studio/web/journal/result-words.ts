/** Results of calls in words for people. The API names them by the causes of Q.850 (`base/core/causes.ts`). */

const WORDS: Readonly<Record<string, string>> = {
  'Unallocated Number': 'Number does not exist',
  'No Route To Destination': 'No route to the number',
  'Normal Clearing': 'Hung up (normal)',
  'User Busy': 'Busy',
  'No User Responding': 'No answer (phone did not respond)',
  'No Answer': 'No answer',
  'Subscriber Absent': 'Not reachable',
  'Call Rejected': 'Declined',
  'Number Changed': 'Number has changed',
  'Non-Selected User Clearing': 'Answered elsewhere',
  'Destination Out Of Order': 'Destination out of order',
  'Invalid Number Format': 'Number is not valid',
  'Normal Unspecified': 'Ended without a reason',
  'No Circuit Available': 'No free line',
  'Network Out Of Order': 'Network out of order',
  'Temporary Failure': 'Temporary failure',
  'Switching Equipment Congestion': 'Network overloaded',
  'Bearer Capability Not Authorized': 'Not allowed',
  'Service Unavailable': 'Service unavailable',
  'Bearer Capability Not Implemented': 'No common audio format',
  'Service Not Implemented': 'Not supported',
  'Recovery On Timer Expiry': 'Network did not reply',
  'Protocol Error': 'Protocol error',
  Interworking: 'Error between networks',
  // Results of numbers in broadcasts.
  success: 'Reached',
  AMD: 'Answering machine',
  'Broadcast Stopped': 'Broadcast stopped',
  'Do Not Call': 'On the do-not-call list',
  Forgotten: 'Personal data deleted',
  'Service Restarted': 'Service restarted',
};

/** `Normal Clearing` → `Hung up (normal)`. An unknown reason is kept. */
export const resultWords = (reason: string): string => (Object.hasOwn(WORDS, reason) ? WORDS[reason]! : reason);

/** Reason of a hang-up, in brackets behind who hung up. */
export const endWords = (reason: string): string => (reason === 'Normal Clearing' ? 'normal' : resultWords(reason));
