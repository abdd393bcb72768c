/** The file of a broadcast, with its numbers and flows beside it, becomes the body of a request. */
import { expect, test } from 'vitest';
import { readBroadcastFile } from '../../src/cli/broadcast-file.ts';
import { UsageError } from '../../src/cli/terminal.ts';
import { folderOf } from './command.ts';

const FLOW = 'flow: hello\nstart: bye\nsteps: { bye: { hangup: normal } }\n';

const FILES = {
  'order.json': '{ "application_name": "news", "from": "1000", "flow": "hello" }',
  'order.yaml': 'application_name: news\nfrom: "1000"\nflow: hello.flow.yaml\n',
  'all.yaml': [
    'action_on_connect: { flow: hello.flow.yaml }',
    'amd: { timeout: 4, on_machine: { flow: hello.flow.yaml, input: { a: 1 } } }',
    'broadcast_numbers: ["1"]',
  ].join('\n'),
  'whole.json': '\ufeff{ "broadcast_numbers_array": ["1", "2"] }',
  'list.json': '[]',
  'broken.json': '{ "from": }',
  'broken.yaml': 'from: [1\n',
  'missing.yaml': 'flow: none.flow.yaml\nbroadcast_numbers: ["1"]',
  'hello.flow.yaml': FLOW,
  'contacts.csv': 'phone,name,note\n+33612345678,Ann,x\n1000,,\n',
};

const read = (name: string, options: { numbers?: string; columns?: string[] } = {}) => {
  using folder = folderOf(FILES);
  const { numbers, ...rest } = options;
  const table = numbers === undefined ? {} : { numbers: `${folder.path}/${numbers}` };
  return readBroadcastFile(`${folder.path}/${name}`, { ...rest, ...table });
};

test('reads numbers and their input from a table', () => {
  const { body, table } = read('order.json', { numbers: 'contacts.csv', columns: ['name'] });
  expect(body).toEqual({
    application_name: 'news',
    from: '1000',
    flow: 'hello',
    broadcast_numbers_array: [{ phone: '+33612345678', name: 'Ann' }, '1000'],
  });
  expect(table?.contacts.map(({ line }) => line)).toEqual([2, 3]);
});

test('keeps the numbers of the file', () => {
  expect(read('whole.json')).toEqual({ body: { broadcast_numbers_array: ['1', '2'] } });
});

const flow = { flow: 'hello', start: 'bye', steps: { bye: { hangup: 'normal' } } };

test('sends a flow that is named by its file along', () => {
  expect(read('order.yaml', { numbers: 'contacts.csv' }).body['flow']).toEqual(flow);
});

test('also sends the flow of an action and of on_machine', () => {
  expect(read('all.yaml').body).toEqual({
    action_on_connect: { flow },
    amd: { timeout: 4, on_machine: { flow, input: { a: 1 } } },
    broadcast_numbers: ['1'],
  });
});

test.each([
  ['no file', 'none.json', undefined, /cannot read .*none\.json: there is no such file/],
  ['a list', 'list.json', undefined, /list\.json is not a broadcast/],
  ['broken JSON', 'broken.json', undefined, /broken\.json is not valid JSON: Unexpected token '}'/],
  ['broken YAML', 'broken.yaml', undefined, /broken\.yaml:\d+:\d+: /],
  ['nobody', 'order.json', undefined, /order\.json contains no numbers to call/],
  ['twice', 'whole.json', 'contacts.csv', /numbers are set twice: by broadcast_numbers_array in .* and by .*contacts/],
  ['a flow that is not there', 'missing.yaml', undefined, /cannot read .*none\.flow\.yaml/],
])('rejects a broadcast file with %s', (_, name, numbers, message) => {
  const attempt = () => read(name, numbers === undefined ? {} : { numbers });
  expect(attempt).toThrow(UsageError);
  expect(attempt).toThrow(message);
});
