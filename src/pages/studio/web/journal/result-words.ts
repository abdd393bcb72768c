/** Results of calls in words for people. The API names them by the causes of Q.850 (`base/core/causes.ts`). */
import { t } from '../../../shared/web/words/translate.ts';

const WORDS: Readonly<Record<string, string>> = {
  'Unallocated Number': t('Number does not exist'),
  'No Route To Destination': t('No route to the number'),
  'Normal Clearing': t('Hung up (normal)'),
  'User Busy': t('Busy'),
  'No User Responding': t('No answer (phone did not respond)'),
  'No Answer': t('No answer'),
  'Subscriber Absent': t('Not reachable'),
  'Call Rejected': t('Declined'),
  'Number Changed': t('Number has changed'),
  'Non-Selected User Clearing': t('Answered elsewhere'),
  'Destination Out Of Order': t('Destination out of order'),
  'Invalid Number Format': t('Number is not valid'),
  'Normal Unspecified': t('Ended without a reason'),
  'No Circuit Available': t('No free line'),
  'Network Out Of Order': t('Network out of order'),
  'Temporary Failure': t('Temporary failure'),
  'Switching Equipment Congestion': t('Network overloaded'),
  'Bearer Capability Not Authorized': t('Not allowed'),
  'Service Unavailable': t('Service unavailable'),
  'Bearer Capability Not Implemented': t('No common audio format'),
  'Service Not Implemented': t('Not supported'),
  'Recovery On Timer Expiry': t('Network did not reply'),
  'Protocol Error': t('Protocol error'),
  Interworking: t('Error between networks'),
  // Results of numbers in broadcasts.
  success: t('Reached'),
  AMD: t('Answering machine'),
  'Broadcast Stopped': t('Broadcast stopped'),
  'Do Not Call': t('On the do-not-call list'),
  Forgotten: t('Personal data deleted'),
  'Service Restarted': t('Service restarted'),
};

/** `Normal Clearing` → `Hung up (normal)`. An unknown reason is kept. */
export const resultWords = (reason: string): string => (Object.hasOwn(WORDS, reason) ? WORDS[reason]! : reason);

/** Reason of a hang-up, in brackets behind who hung up. */
export const endWords = (reason: string): string => (reason === 'Normal Clearing' ? t('normal') : resultWords(reason));
