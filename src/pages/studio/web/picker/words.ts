/** English texts of the list of steps. Names and sentences of the verbs come from their schemas. */
import type { PickerGroup } from '../../../../language/flow/text/language.ts';
import { t } from '../../../shared/web/words/translate.ts';

/** Groups in the order of the list. */
export const GROUPS: Readonly<Record<PickerGroup, string>> = {
  say: t('Say and ask'),
  connect: t('Connect'),
  decide: t('Decide'),
  remember: t('Remember'),
  outside: t('Other systems'),
  record: t('Record, listen'),
  end: t('Begin and end'),
};

export const WORDS = {
  title: (after: string | undefined): string =>
    after === undefined ? t('What happens first?') : t('What should happen after {after}?', { after }),
  turn: (step: string): string => t('What should {step} become?', { step }),
  fillIn: t('Fill in'),
  turned: (step: string): string => t('{step} is filled in', { step }),
  titleOnPhone: (after: string | undefined): string =>
    after === undefined ? t('First step') : t('After {after}', { after }),
  search: t('Search steps, or type what to say'),
  groups: t('Groups of steps'),
  list: t('Steps'),
  suggested: t('Suggested'),
  recent: t('Recently used'),
  steps: t('Steps'),
  templates: t('Templates'),
  or: t('Or'),
  found: (count: number): string => t('{count} found', { count }),
  nothing: (query: string): string => t('Nothing is called “{query}”.', { query }),
  meant: t('Did you mean'),
  all: t('All steps'),
  say: (words: string): string => t('Say “{words}”', { words }),
  saySentence: t('Speaks these words.'),
  connect: (party: string): string => t('Connect to {party}', { party }),
  request: (url: string): string => t('Ask a web service at {url}', { url }),
  keys: { choose: t('choose'), add: t('add'), addOn: t('add and continue'), close: t('close'), back: t('back') },
  cancel: t('Cancel'),
  back: t('Back'),
  add: t('Add step'),
  adding: t('Adding …'),
  noParty: t('Write a user, a number such as +33144556677, or a SIP address'),
  later: t('Fill in later'),
  laterHelp: t('Keeps the place by a step to do. The flow cannot be published until it is filled in.'),
  ends: (step: string, lost: number): string =>
    t('{step} ends the call here. {count, plural, one {One step} other {# steps}} after it can no longer be reached:', {
      step,
      count: lost,
    }),
  addAndKeep: t('Add, and keep them'),
  addAndDelete: t('Add, and delete them'),
  addedSteps: (title: string, count: number): string =>
    t('{title}: {count, plural, one {one step} other {# steps}} added', { title, count }),
  added: (step: string, after: string | undefined, next: string): string =>
    after === undefined
      ? t('{step} is the first step', { step })
      : next === '$end'
        ? t('{step} added after {after}', { step, after })
        : t('{step} inserted between {after} and {next}', { step, after, next }),
  ifBroken: (target: string): string =>
    t('If something breaks: → {target}', { target: target === '$end' ? t('end') : target }),
} as const;
