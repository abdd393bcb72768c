/**
 * Accounting of the importers: a key, an attribute or an element that no importer knows is reported at its place,
 * whatever the level at which it stands. Each document is imported with an unknown part in each of its objects.
 */
import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../src/base/core/json.ts';
import { loadDocument } from '../../src/base/schema/load.ts';
import { importFiles } from '../../src/language/importers/import-files.ts';
import type { Format, SourceFile } from '../../src/language/importers/imported.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { CORPUS } from './corpus.ts';
import { FIELD } from './field.ts';

const VALUE = 'zz_value';

/**
 * Objects that take no unknown key: drawings of the editor, which no call depends on; maps whose keys are names, such as
 * sections and events; and objects that are lost as a whole, as a note of their node says.
 */
const WITHOUT: Readonly<Partial<Record<Format, RegExp>>> = {
  'amazon-connect': new RegExp(
    [
      '^(Metadata|metadata|modules/\\d+/metadata)(/|$)',
      '(EventHooks|InputEncryption|AnalyticsBehavior|LexSessionAttributes|Tags)$',
    ].join('|'),
  ),
  'twilio-studio': /(offset|stream_parameters\/\d+)$/,
  ncco: /(transcription|endpoint\/0\/headers)$/,
  jambonz: /(auth|wsAuth|amd|metadata|(^|\/)data)$/,
  swml: /(^|\/)(sections|case|meta|prompts\/1(\/actions\/0)?)$/,
};

/** True for `{ "play": … }`: the only key is the name of a method, and a second one is refused. */
const isMethod = (value: JsonObject, path: string): boolean =>
  /\/\d+$/.test(path) && Object.keys(value).length === 1 && !('else' in value);

/** Adds a key with a name of its own to each object. Returns their paths. */
function addKeys(value: Json, format: Format, path = '', added: Map<string, string> = new Map()): Map<string, string> {
  if (Array.isArray(value))
    for (const [index, each] of value.entries()) addKeys(each, format, `${path}/${index}`, added);
  if (!isObject(value)) return added;
  for (const [key, each] of Object.entries(value)) addKeys(each, format, path === '' ? key : `${path}/${key}`, added);
  const isShort = format === 'swml' || format === 'jambonz';
  if (WITHOUT[format]?.test(path) || (isShort && isMethod(value, path))) return added;
  const name = `zz${added.size}zz`;
  value[name] = VALUE;
  added.set(name, path);
  return added;
}

function placeOf(text: string, wanted: string): string {
  const before = text.slice(0, text.indexOf(wanted)).split('\n');
  return `${before.length}:${before.at(-1)!.length + 1}`;
}

interface Sought {
  name: string;
  /** Place of the name in the text. */
  place: string;
  /** Names of the objects around it. An object of which no key is read is reported as a whole. */
  around: readonly string[];
}

/** Names that an import loses in silence, or reports elsewhere. */
function lostIn(sources: readonly SourceFile[], format: Format, sought: readonly Sought[]): string[] {
  const result = importFiles(sources, { verbs }, format);
  if (result.format === undefined) throw new Error(JSON.stringify(result.diagnostics));
  const texts = result.flows.map(({ text }) => text).join('\n');
  const kinds = new Set(result.nodes.map(({ kind }) => kind));
  const covered = result.nodes.filter(({ fidelity }) => fidelity === 'todo' || fidelity === 'none');
  return sought.flatMap(({ name, place, around }) => {
    const found = result.diagnostics.find(({ message }) => message.includes(name));
    if (found !== undefined && `${found.line}:${found.column}` === place) return [];
    if (found !== undefined) return [`${name} is reported at ${found.line}:${found.column}, not at ${place}`];
    if (texts.includes(name) || kinds.has(name)) return [];
    if (result.diagnostics.some(({ message }) => around.some((key) => message.includes(`${key}\` of`)))) return [];
    // The node has no meaning in a call, or its source in the flow is cut.
    const [line = 0, column = 0] = place.split(':').map(Number);
    const before = result.nodes.filter((node) => node.line < line || (node.line === line && node.column <= column));
    const last = before.toSorted((a, b) => b.line - a.line || b.column - a.column)[0];
    return last !== undefined && covered.includes(last) ? [] : [`${name} in ${around.join('/')} at ${place}`];
  });
}

const WRITTEN = FIELD.filter(({ name }) => name.includes('each '));
const DOCUMENTS = [...CORPUS.map((each) => ({ ...each, name: `corpus of ${each.format}` })), ...WRITTEN];
const isXml = (format: Format): boolean => format === 'twiml' || format === 'voicexml';

describe('unknown keys of JSON', () => {
  it.each(DOCUMENTS.filter(({ format }) => !isXml(format)))(
    'reports them at every level of the $name',
    ({ format, sources }) => {
      const [first, ...others] = sources;
      const value = structuredClone(loadDocument(first!.text, first!.file).document!.value);
      const added = addKeys(value, format);
      const text = JSON.stringify(value, null, 1);
      const sought = [...added].map(([name, path]) => ({
        ...{ name, place: placeOf(text, `"${name}"`) },
        around: path.split('/').filter((key) => !/^\d*$/.test(key)),
      }));
      expect(sought.length).toBeGreaterThan(20);
      expect(lostIn([{ file: first!.file, text }, ...others], format, sought)).toEqual([]);
    },
  );
});

/** Start tags of a text, without those of its declarations. */
const START_TAG = /<([A-Za-z][\w:-]*)((?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g;

describe('unknown parts of XML', () => {
  it.each(DOCUMENTS.filter(({ format }) => isXml(format)))(
    'reports them at every element of the $name',
    ({ format, sources }) => {
      const [first, ...others] = sources;
      const names: string[] = [];
      const text = first!.text.replaceAll(START_TAG, (_tag, name: string, attributes: string, slash: string) => {
        names.push(`zz${names.length}zz`);
        return `<${name}${attributes} ${names.at(-1)}="${VALUE}"${slash}>`;
      });
      const sought = names.map((name) => ({ name, place: placeOf(text, name), around: [] }));
      expect(sought.length).toBeGreaterThan(20);
      expect(lostIn([{ file: first!.file, text }, ...others], format, sought)).toEqual([]);
    },
  );

  it('reports attributes at their lines in a start tag of several lines', () => {
    const text =
      '<Response>\n  <Say\n    mood="happy"\n  pace="slow" voice="woman" size="big">Hi there.</Say>\n</Response>';
    const { diagnostics } = importFiles([{ file: 'a.xml', text }], { verbs });
    expect(diagnostics.map(({ line, column, message }) => [line, column, message.split(' ')[0]])).toEqual([
      [3, 5, '`mood`'],
      [4, 3, '`pace`'],
      [4, 29, '`size`'],
    ]);
  });

  it.each(DOCUMENTS.filter(({ format }) => format === 'twiml'))(
    'reports them in every element without parts of the $name',
    ({ format, sources }) => {
      const [first, ...others] = sources;
      const names: string[] = [];
      const text = first!.text.replaceAll(START_TAG, (tag, name: string, attributes: string, slash: string) => {
        if (slash !== '/') return tag;
        names.push(`zz${names.length}zz`);
        return `<${name}${attributes}><${names.at(-1)}/></${name}>`;
      });
      const sought = names.map((name) => ({ name, place: placeOf(text, `<${name}/>`), around: [] }));
      expect(lostIn([{ file: first!.file, text }, ...others], format, sought)).toEqual([]);
    },
  );
});

describe('a node with known keys', () => {
  it('stays exact if each key is read', () => {
    const text = JSON.stringify([{ action: 'talk', text: 'Hi there.', premium: true, bargeIn: false }]);
    const result = importFiles([{ file: 'a.json', text }], { verbs });
    expect(result.diagnostics).toEqual([]);
    expect('nodes' in result && result.nodes[0]).toMatchObject({ fidelity: 'exact' });
  });

  it('counts as nearly beside an unknown key, which is named once', () => {
    const text = '[\n {"action": "talk", "text": "Hi there.",\n  "mood": "happy"}]';
    const result = importFiles([{ file: 'a.json', text }], { verbs });
    expect(result.diagnostics).toEqual([
      expect.objectContaining({ severity: 'warning', code: 'not-imported', line: 3, column: 3 }),
    ]);
    expect('nodes' in result && result.nodes[0]).toMatchObject({
      fidelity: 'workaround',
      notes: ['`mood` is not imported'],
    });
  });
});
