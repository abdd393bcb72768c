/** English texts of the list of steps. Names and sentences of the verbs come from their schemas. */
import type { PickerGroup } from '../../../../language/flow/text/language.ts';

/** Groups in the order of the list. */
export const GROUPS: Readonly<Record<PickerGroup, string>> = {
  say: 'Say and ask',
  connect: 'Connect',
  decide: 'Decide',
  remember: 'Remember',
  outside: 'Other systems',
  record: 'Record, listen',
  end: 'Begin and end',
};

export const WORDS = {
  title: (after: string | undefined): string =>
    after === undefined ? 'What happens first?' : `What should happen after ${after}?`,
  titleOnPhone: (after: string | undefined): string => (after === undefined ? 'First step' : `After ${after}`),
  search: 'Search steps, or type what to say',
  groups: 'Groups of steps',
  list: 'Steps',
  suggested: 'Suggested',
  recent: 'Recently used',
  steps: 'Steps',
  or: 'Or',
  found: (count: number): string => `${count} found`,
  nothing: (query: string): string => `Nothing is called “${query}”.`,
  meant: 'Did you mean',
  all: 'All steps',
  say: (words: string): string => `Say “${words}”`,
  saySentence: 'Speaks these words.',
  connect: (party: string): string => `Connect to ${party}`,
  request: (url: string): string => `Ask a web service at ${url}`,
  keys: { choose: 'choose', add: 'add', addOn: 'add and continue', close: 'close', back: 'back' },
  cancel: 'Cancel',
  back: 'Back',
  add: 'Add step',
  adding: 'Adding …',
  noParty: 'Write a user, a number such as +33144556677, or a SIP address',
  later: 'Fill in later',
  laterHelp: 'Keeps the place by a step to do. The flow cannot be published until it is filled in.',
  ends: (step: string, lost: number): string =>
    `${step} ends the call here. ${lost === 1 ? 'One step' : `${lost} steps`} after it can no longer be reached:`,
  addAndKeep: 'Add, and keep them',
  addAndDelete: 'Add, and delete them',
  added: (step: string, after: string | undefined, next: string): string =>
    after === undefined
      ? `${step} is the first step`
      : next === '$end'
        ? `${step} added after ${after}`
        : `${step} inserted between ${after} and ${next}`,
  ifBroken: (target: string): string => `If something breaks: → ${target === '$end' ? 'end' : target}`,
} as const;
