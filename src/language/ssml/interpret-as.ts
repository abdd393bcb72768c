/** Values of `interpret-as` (SSML 1.1 §3.1.9 and the API), with their formats. */
export const SAY_AS: Readonly<Record<string, SayAsFormats>> = {
  characters: 'none',
  'spell-out': 'none',
  cardinal: 'none',
  number: 'none',
  ordinal: 'none',
  number_digit: 'none',
  digits: 'none',
  fraction: 'none',
  date: ['dmy', 'mdy', 'ymd', 'ydm', 'ym', 'my', 'md', 'dm', 'd', 'm', 'y'],
  time: ['hms12', 'hms24'],
  duration: ['hms', 'hm', 'ms'],
  telephone: 'country code',
  currency: 'none',
  address: 'none',
  name: 'none',
};

export type SayAsFormats = readonly string[] | 'none' | 'country code';
