/** Flows as written by users, with YAML and SSML that other parsers accept. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ssmlProblems } from '../../src/language/ssml/read-ssml.ts';
import { brief, checkWhole, findings } from './check-flow.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/field/${name}.flow.yaml`, import.meta.url), 'utf8');

it.each(['21-ssml-prolog', '22-merge-key'])('%s is taken without a finding', (name) => {
  expect(brief(checkWhole(fixture(name)).diagnostics)).toEqual([]);
});

it('has an XML declaration before a document of SSML', () => {
  expect(ssmlProblems('<?xml version="1.0" encoding="UTF-8"?>\n<speak>Hello</speak>')).toEqual([]);
});

it('reports a flow in UTF-16 as not UTF-8', () => {
  const bytes = Buffer.from(`\ufeff${fixture('22-merge-key')}`, 'utf16le');
  expect(findings(bytes.toString('utf8'))).toEqual(['1:1 wrong-encoding']);
});
