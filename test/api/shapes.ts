/** Every response of the voice API has the shape that `schemas/api/responses/` says; the rig checks each that it gets. */
import type { JsonObject } from '../../src/core/json.ts';
import { readSchema } from '../../src/flow/schema-files.ts';
import { compileSchema } from '../../src/flow/validate.ts';

const SHAPES: readonly [route: RegExp, name: string][] = [
  [/^GET \/call\/[^/]+$/, 'analysis'],
  [/\/call\/[^/]+\/play$/, 'play'],
  [/\/call\/[^/]+\/connect$/, 'connect'],
  [/\/call\/[^/]+\/(transfer|forward)$/, 'transfer'],
  [/\/call\/[^/]+\/hold$/, 'hold'],
  [/\/call\/[^/]+\/recording$/, 'recording'],
  [/^PUT \/call\/[^/]+\/stream$/, 'stream'],
  [/^(POST|DELETE|PUT) \/call(\/[^/]+(\/(accept|event|stream))?)?$/, 'call'],
  [/^(GET|DELETE) \/conference\/|\/participant\//, 'conference'],
  [/\/conference/, 'conference-call'],
  [/\/room\//, 'call'],
];

/** What is wrong with a response; undefined when it is as it should be, or nothing is said of its route. */
export function wrongShape(method: string, path: string, status: number, body: JsonObject): string | undefined {
  const route = /^\/voice\/v1(\/[^?]*)/i.exec(path)?.[1]?.replace(/\/$/, '');
  if (route === undefined || route.startsWith('/broadcast')) return undefined;
  const asked = `${method} ${route.replace(/^\/calls(?=\/|$)/i, '/call')}`;
  // The alias answers as what it stands for.
  const alias = 'bridge_id' in body ? 'connect' : 'playstate' in body ? 'play' : undefined;
  const name = status >= 400 ? 'error' : (SHAPES.find(([pattern]) => pattern.test(asked))?.[1] ?? alias);
  if (name === undefined) return undefined;
  const schema = name === 'call' && alias !== undefined ? alias : name;
  const wrong = compileSchema(readSchema(`api/responses/${schema}`))(body);
  return wrong === undefined ? undefined : `${asked} answers ${JSON.stringify(body)}, which is no ${schema}: ${wrong}`;
}
