/** The schema for editors is current, takes every flow that is shipped, and refuses what a check refuses. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { loadDocument } from '../../src/base/schema/load.ts';
import { verbSchemas } from '../../src/base/schema/schema-forms.ts';
import { propertiesEditorSchema } from '../../src/cli/editor-schema.ts';
import { compileFlow } from '../../src/language/flow/compile.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { ROOT } from './command.ts';

const PUBLISHED = join(ROOT, 'schemas/editor/flow.schema.json');
const fits = new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(readFileSync(PUBLISHED, 'utf8')));

const flows = ['flows', 'examples'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.flow.yaml') && !name.includes('node_modules'))
    .map((name) => join(ROOT, folder, name)),
);

const read = (text: string): unknown => loadDocument(text, 'a.flow.yaml').document?.value;

it('has one for the properties beside a flow', () => {
  const takes = new Ajv({ strict: false }).compile(propertiesEditorSchema());
  expect(takes({ 'nobody pays twice': { never: { requested: 'charge', after: 'charge.ok' } } })).toBe(true);
  expect(takes({ 'nobody pays twice': { never: { request: 'charge' } } })).toBe(false);
});

it.each(flows.map((file) => relative(ROOT, file)))('accepts the flow %s', (name) => {
  expect([fits(read(readFileSync(join(ROOT, name), 'utf8'))), fits.errors]).toEqual([true, null]);
});

it('is where flows refer editors to', () => {
  const led = flows.flatMap((file) => {
    const [, path] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
    return path === undefined ? [] : [resolve(dirname(file), path)];
  });
  expect(led.length).toBeGreaterThanOrEqual(14);
  expect(new Set(led)).toEqual(new Set([PUBLISHED]));
});

it.each([...verbSchemas])('accepts the examples of %s', (verb, schema) => {
  const examples = schema['examples'] as object[];
  for (const step of examples)
    expect([fits({ flow: verb, start: 'a', steps: { a: step } }), step]).toEqual([true, step]);
});

describe('refuses what check refuses', () => {
  it.each([
    ['an unknown key of the flow', 'flow: a\nstrat: b\nstart: b\nsteps: { b: { hangup: normal } }'],
    ['a flow without steps', 'flow: a\nstart: b'],
    ['an unknown verb', 'flow: a\nstart: b\nsteps: { b: { hangupp: normal } }'],
    ['two verbs', 'flow: a\nstart: b\nsteps: { b: { hangup: normal, play: x } }'],
    ['no verb', 'flow: a\nstart: b\nsteps: { b: { next: c }, c: { hangup: normal } }'],
    ['a value that is not one of several', 'flow: a\nstart: b\nsteps: { b: { hangup: nromal } }'],
    ['a digit that is a number', 'flow: a\nstart: b\nsteps: { b: { menu: { choices: { x: { dtmf: 1 } } } } }'],
    ['a duration without a unit', 'flow: a\nstart: b\nsteps: { b: { pause: 2 } }'],
    ['a template where none may stand', 'flow: a\nstart: b\nsteps: { b: { pause: 1s, next: "${ vars.x }" } }'],
  ])('rejects %s, as check does', (_, text) => {
    expect(fits(read(text))).toBe(false);
    expect(compileFlow(text, 'a.flow.yaml', verbs).flow).toBeUndefined();
  });
});

it('takes templates where they are allowed', () => {
  const text = `flow: a
start: b
steps:
  b: { pause: "\${ vars.x }s", next: c }
  c: { collect: { attempts: "\${ vars.n }", digits: { length: "\${ vars.n }" }, prompt: "\${ vars.p }" }, next: d }
  d: { set: { n: "\${ 1 }" } }
  e: { play: x, set: { n: 1 } }`;
  expect([fits(read(text)), fits.errors]).toEqual([true, null]);
});
