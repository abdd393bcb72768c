/** Descriptions of audit trail entries, and their links. */
import { describe, expect, it } from 'vitest';
import { isWanted, readChange } from '../../../src/pages/studio/web/settings/change-words.ts';

const change = (what: string, more: { before?: string; after?: string } = {}) => ({
  at: '2026-03-02T09:30:00Z',
  who: 'studio from 127.0.0.1',
  what,
  ...more,
});

describe('an entry of the audit trail', () => {
  it.each<[what: string, words: string, path: string | undefined]>([
    ['DELETE /flows/hello', 'removed the flow hello', undefined],
    ['PUT /administrators/bea', 'saved the administrator bea', '/settings/administrators'],
    ['POST /administrators/bea/invitation', 'invited the administrator bea', '/settings/administrators'],
    ['DELETE /administrators/bea/token', 'revoked the access of the administrator bea', '/settings/administrators'],
    ['DELETE /administrators/bea', 'removed the administrator bea', undefined],
    [
      'PUT /flows/hello/tests/hello.late.test.yaml',
      'saved the test hello.late.test.yaml of hello',
      '/flows/hello/tests',
    ],
    ['DELETE /flows/hello/tests/in/a folder.yaml', 'removed the test in/a folder.yaml of hello', undefined],
    ['PUT /numbers/+33199001122', 'saved the number +33199001122', '/settings/numbers'],
    ['DELETE /users/ann', 'removed the user ann', undefined],
    ['PUT /prompts/hello/en-US', 'saved the prompt hello in en-US', '/settings/prompts'],
    ['POST /projects', 'made a project', undefined],
    ['PATCH /projects/shop', 'changed the project shop', '/settings/projects'],
    ['POST /projects/shop/key', 'gave the project shop a new key', '/settings/projects'],
    ['POST /projects/shop/dead-letters/resend', 'sent events of the project shop again', '/settings/webhooks'],
    ['POST /projects/shop/disabled-urls/enable', 'enabled a URL of the project shop', '/settings/webhooks'],
    // Unknown entries of a later version are shown as raw requests.
    ['POST /something/new', 'POST /something/new', undefined],
    ['PUT /constructor/x', 'PUT /constructor/x', undefined],
    ['toString', 'toString', undefined],
    ['POST /drain', 'began to drain the service', undefined],
    ['DELETE /drain', 'took new calls again', undefined],
    ['POST /reload', 'reloaded the configuration', undefined],
    ['reload', 'reloaded the configuration', undefined],
    ['', '', undefined],
    ['canary of hello ended: more errors', 'canary of hello ended: more errors', undefined],
    ['PUT /flows/hello/canary', 'gave some callers a version of the flow hello', '/flows/hello'],
  ])('%s is read as "%s"', (what, words, path) => {
    const read = readChange(change(what));
    expect(`${read.did} ${read.what}`.trim()).toBe(words);
    expect(read.link?.path).toBe(path);
  });

  it('links to both versions of a changed flow', () => {
    expect(readChange(change('PUT /flows/a b', { before: '1', after: '2' }))).toEqual({
      did: 'saved',
      what: 'the flow a b',
      link: { path: '/flows/a%20b' },
      versions: { path: '/flows/a%20b/versions', query: { before: '1', after: '2' } },
    });
  });

  it('has no earlier version for a new flow, and no link for an unchanged one', () => {
    expect(readChange(change('PUT /flows/a', { after: '2' }))).toMatchObject({ did: 'made' });
    expect(readChange(change('PUT /flows/a', { after: '2' }))).not.toHaveProperty('versions');
    expect(readChange(change('PUT /flows/a', { before: '2', after: '2' }))).not.toHaveProperty('versions');
  });

  it('is found by its words and by its author', () => {
    const saved = change('PUT /flows/hello', { before: '1' });
    expect(['Flow HELLO', '127.0.0', 'saved', ' '].map((words) => isWanted(saved, words))).toEqual(Array(4).fill(true));
    expect(isWanted(saved, 'number')).toBe(false);
  });
});
