/**
 * A document for each format with each construct of its table in docs/importing.md, including those that become `todo`
 * steps: `corpus.test.ts` measures the result, and `npm run bench -- import` the time.
 */
import type { Format } from '../../src/language/importers/imported.ts';
import * as connect from './corpus/amazon-connect.ts';
import type { Counts } from './corpus/counts.ts';
import * as jambonz from './corpus/jambonz.ts';
import * as ncco from './corpus/ncco.ts';
import * as swml from './corpus/swml.ts';
import * as studio from './corpus/twilio-studio.ts';
import * as twiml from './corpus/twiml.ts';
import * as voicexml from './corpus/voicexml.ts';

const FORMATS: readonly [Format, { text: string; counts: Counts; beside?: Readonly<Record<string, string>> }][] = [
  ['twiml', twiml],
  ['twilio-studio', studio],
  ['amazon-connect', connect],
  ['ncco', ncco],
  ['jambonz', jambonz],
  ['swml', swml],
  ['voicexml', voicexml],
];

/** As if each were a file of the name `corpus`, which some of them lead back to. */
export const CORPUS = FORMATS.map(([format, { text, counts, beside = {} }]) => {
  const file = { twiml: 'corpus.xml', voicexml: 'corpus.vxml' }[format as string] ?? 'corpus.json';
  const sources = Object.entries({ [file]: text, ...beside }).map(([name, each]) => ({ file: name, text: each }));
  return { format, file, text, sources, counts };
});
