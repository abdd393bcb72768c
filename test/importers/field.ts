/**
 * Documents of other shapes than those of the importers' own tests: written after the public documentation of each
 * format, with all keys that it lists, and made at random from these keys. `field.test.ts` measures the imports, and
 * `npm run bench -- import` their time.
 */
import type { Format } from '../../src/language/importers/imported.ts';
import { documents as connect } from './field/amazon-connect.ts';
import { documents as jambonz } from './field/jambonz.ts';
import { documents as ncco } from './field/ncco.ts';
import { documents as swml } from './field/swml.ts';
import { documents as studio } from './field/twilio-studio.ts';
import { documents as twiml } from './field/twiml.ts';
import { documents as voicexml } from './field/voicexml.ts';

const FORMATS: readonly [Format, Readonly<Record<string, Readonly<Record<string, string>>>>][] = [
  ['twiml', twiml],
  ['twilio-studio', studio],
  ['amazon-connect', connect],
  ['ncco', ncco],
  ['jambonz', jambonz],
  ['swml', swml],
  ['voicexml', voicexml],
];

export const FIELD = FORMATS.flatMap(([format, documents]) =>
  Object.entries(documents).map(([name, files]) => ({
    format,
    name: `${format} document: ${name}`,
    sources: Object.entries(files).map(([file, text]) => ({ file, text })),
  })),
);
