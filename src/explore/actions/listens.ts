/**
 * Moments at which a verb lets the caller or an application act: `asks` after its prompt, `records` during the
 * recording, `talks` during a conversation, `sounds` during its audio, `always` as long as it runs.
 */
export const LISTENS: Readonly<Record<string, 'asks' | 'records' | 'talks' | 'sounds' | 'always'>> = {
  menu: 'asks',
  collect: 'asks',
  pay: 'asks',
  record: 'records',
  bridge: 'talks',
  transfer: 'talks',
  resume: 'talks',
  play: 'sounds',
  pause: 'sounds',
  wait_for: 'always',
  queue: 'always',
  serve: 'always',
  conference: 'always',
  join_room: 'always',
  assistant: 'always',
};
