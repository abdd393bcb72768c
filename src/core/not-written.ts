/**
 * What could not be written, though nothing is wrong with it: the disk is full, broken or read-only, or another process
 * holds the database. It may be written later.
 */
export type WhyNotWritten = 'disk_full' | 'locked' | 'read_only' | 'broken';

export class NotWritten extends Error {
  readonly code = 'NOT_WRITTEN';
  readonly why: WhyNotWritten;
  constructor(why: WhyNotWritten, cause?: unknown) {
    super(WORDS[why], { cause });
    this.why = why;
  }
}

const WORDS: Readonly<Record<WhyNotWritten, string>> = {
  disk_full: 'the disk is full',
  locked: 'another process holds the database',
  read_only: 'the data are read-only',
  broken: 'the disk or the database is broken',
};
