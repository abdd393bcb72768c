/** Flows and tests that are saved together, by `POST /admin/v1/flows/save`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { administered } from './admin-client.ts';
import { auditOf } from './canary-rig.ts';
import type { ApiRig, ApiRigOptions } from './rig.ts';

const called = (input: string): string =>
  `flow: greet\ninput: { ${input}: { type: string } }\nstart: say\ndefaults: { exits: { error: $end } }\nsteps:\n  say: { play: "Hello \${input.${input}}", next: $end }\n`;
const caller = (input: string): string =>
  `flow: main\nstart: sub\nsteps:\n  sub: { subflow: { flow: greet, input: { ${input}: Ann } }, exits: { error: $end }, next: $end }\n`;
const testOf = (step: string): string => `flow: greet\ntest: says hello\nexpect: { path: [${step}] }\n`;

const FLOWS = { greet: called('who'), main: caller('who') };

async function open(options: ApiRigOptions = {}) {
  const { rig, admin } = await administered({ flows: FLOWS, ...options });
  writeFileSync(join(rig.directory, 'greet.test.yaml'), testOf('say'));
  const etagOf = async (path: string): Promise<string> => (await admin('GET', path)).body['etag'] as string;
  const etags = {
    greet: await etagOf('/flows/greet'),
    main: await etagOf('/flows/main'),
    test: await etagOf('/flows/greet/tests/greet.test.yaml'),
  };
  const files = {
    greet: { flow: 'greet', etag: etags.greet, text: called('name') },
    main: { flow: 'main', etag: etags.main, text: caller('name') },
    test: { flow: 'greet', test: 'greet.test.yaml', etag: etags.test, text: testOf('say, $end') },
  };
  return { rig, admin, files, save: (...given: object[]) => admin('POST', '/flows/save', { files: given }) };
}
const textOf = (rig: ApiRig, file: string): string => readFileSync(join(rig.directory, file), 'utf8');
const unchanged = (rig: ApiRig): void => {
  expect(['greet.flow.yaml', 'main.flow.yaml'].map((file) => textOf(rig, file))).toEqual([FLOWS.greet, FLOWS.main]);
  expect(textOf(rig, 'greet.test.yaml')).toBe(testOf('say'));
  expect(readdirSync(rig.directory).filter((name) => name.startsWith('.'))).toEqual([]);
};

describe('a save of several files', () => {
  it('saves a caller and its flow that do not fit the saved version of each other', async () => {
    const { rig, admin, files, save } = await open();
    const { status, body } = await save(files.main, files.greet, files.test);
    expect([status, body]).toEqual([
      200,
      {
        timestamp: expect.any(String),
        files: [
          expect.objectContaining({ flow: 'main', version_number: 2, in_force: true, diagnostics: [] }),
          expect.objectContaining({ flow: 'greet', version_number: 2, in_force: true, diagnostics: [] }),
          { flow: 'greet', test: 'greet.test.yaml', file: 'greet.test.yaml', etag: expect.any(String) },
        ],
      },
    ]);
    expect([textOf(rig, 'greet.flow.yaml'), textOf(rig, 'main.flow.yaml')]).toEqual([called('name'), caller('name')]);
    expect(textOf(rig, 'greet.test.yaml')).toBe(files.test.text);
    expect((await admin('GET', '/flows/main')).body).toMatchObject({ in_force: true, diagnostics: [] });
    expect(await auditOf(admin)).toMatchObject([
      { who: 'admin', what: 'POST /flows/save', keys: ['main', 'greet', 'greet.test.yaml'] },
    ]);
  });

  it('creates a new flow and its test', async () => {
    const { rig, save } = await open();
    const more = { flow: 'more', text: called('x').replace('greet', 'more') };
    const its = { flow: 'more', test: 'more.test.yaml', text: 'flow: more\ntest: t\n' };
    expect((await save(its, more)).status).toBe(200);
    expect([textOf(rig, 'more.flow.yaml'), textOf(rig, 'more.test.yaml')]).toEqual([more.text, its.text]);
    const again = await save(more, its);
    expect([again.status, again.body['files']]).toMatchObject([
      409,
      [
        { flow: 'more', code: 'changed_meanwhile', current: { text: more.text } },
        { flow: 'more', test: 'more.test.yaml', code: 'changed_meanwhile' },
      ],
    ]);
  });

  it('saves drafts with errors beside sound flows', async () => {
    const { admin, files, save } = await open();
    const { status, body } = await save({ ...files.main, draft: true, text: 'flow: main\n' }, files.greet);
    expect(status).toBe(200);
    expect(body['files']).toMatchObject([
      { flow: 'main', calls_take: 'earlier' },
      { flow: 'greet', in_force: true },
    ]);
    expect((await admin('GET', '/flows/main')).body).toMatchObject({ calls_take: 'earlier' });
  });
});

describe('a save of several files with a problem', () => {
  it('changes nothing and names each file that has another version, with its stored version', async () => {
    const { rig, files, save } = await open();
    const { status, body } = await save({ ...files.greet, etag: 'old' }, files.main, { ...files.test, etag: 'older' });
    expect([status, body]).toMatchObject([
      409,
      {
        msg: 'nothing was saved: greet: the file was modified since it was read',
        files: [
          { flow: 'greet', code: 'changed_meanwhile', current: { text: FLOWS.greet, etag: files.greet.etag } },
          { flow: 'greet', test: 'greet.test.yaml', code: 'changed_meanwhile', current: { etag: files.test.etag } },
        ],
      },
    ]);
    unchanged(rig);
  });

  it.each([
    ['a flow has errors', { main: { text: caller('nobody') } }, { flow: 'main', code: 'flow_invalid' }],
    ['a text names another flow', { main: { text: called('name') } }, { flow: 'main', code: 'flow_invalid' }],
    [
      'a test is of another flow',
      { test: { text: 'flow: main\n' } },
      { test: 'greet.test.yaml', code: 'flow_invalid' },
    ],
    ['a test has the name of another file', { test: { test: 'greet.flow.yaml' } }, { code: 'unknown_setting' }],
    ['a test leads out of the directory', { test: { test: '../x.test.yaml' } }, { code: 'unknown_setting' }],
    ['a flow comes with the program', { main: { flow: 'call-out', text: 'flow: call-out\n' } }, { code: 'read_only' }],
  ])('changes nothing if %s', async (_why, changed: Record<string, object>, refused) => {
    const { rig, admin, files, save } = await open();
    if (changed['main'] && 'flow' in changed['main']) {
      const { body } = await admin('GET', '/flows');
      const builtIn = (body['flows'] as { name: string; built_in: boolean }[]).find((flow) => flow.built_in)!;
      Object.assign(changed['main'], { flow: builtIn.name, text: `flow: ${builtIn.name}\n` });
    }
    const given = Object.entries(files).map(([key, file]) => ({ ...file, ...changed[key] }));
    const { status, body } = await save(...given);
    expect([status, body]).toMatchObject([422, { files: [refused] }]);
    unchanged(rig);
  });

  it('changes nothing if the body has no file, a file twice, or an unknown key', async () => {
    const { rig, files, save } = await open();
    for (const given of [[], [files.main, files.main], [{ ...files.main, etga: 'x' }]])
      expect((await save(...given)).status).toBe(400);
    unchanged(rig);
  });
});
