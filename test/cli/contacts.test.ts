/** Tables of numbers, as people and spreadsheets write them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseContacts, readContacts } from '../../src/cli/contacts.ts';
import { UsageError } from '../../src/cli/terminal.ts';
import { folderOf } from './command.ts';

const read = (text: string, columns?: string[]) =>
  parseContacts(text, 'contacts.csv', columns === undefined ? {} : { columns });

const wrong = (text: string, columns?: string[]): string => {
  try {
    read(text, columns);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'nothing';
};

test('reads one column as the number, the others as inputs', () => {
  expect(read('phone,name,day\n+33612345678,Ann,Monday\n1000,"O""Neil, B",\n')).toEqual([
    { phone: '+33612345678', input: { name: 'Ann', day: 'Monday' }, line: 2 },
    { phone: '1000', input: { name: 'O"Neil, B' }, line: 3 },
  ]);
});

test.each([['number'], ['tel'], ['Tel'], ['Phone Number'], ['MSISDN'], ['"phone"']])(
  '%s is a name for the column, too',
  (name) => {
    expect(read(`${name}\n1000\n`)).toEqual([{ phone: '1000', line: 2 }]);
  },
);

// Fixtures 28 and 29.
test('skips a line that tells a spreadsheet the delimiter', () => {
  const text = readFileSync(new URL('../fixtures/field/28-sep-line.csv', import.meta.url), 'utf8');
  expect(read(text)).toEqual([{ phone: '+4930123456', input: { name: 'A' }, line: 3 }]);
  expect(read('\ufeffSEP=|\nphone|name\n1|"a;b,c"\n')).toEqual([{ phone: '1', input: { name: 'a;b,c' }, line: 3 }]);
});

test('ignores invisible marks in numbers and in column names', () => {
  const text = readFileSync(new URL('../fixtures/field/29-invisible-marks.csv', import.meta.url), 'utf8');
  expect(read(text)).toEqual([{ phone: '+4930123457', input: { name: 'B' }, line: 2 }]);
  expect(read('\u200ephone\u200f,na\u200bme\n1,B\n')).toEqual([{ phone: '1', input: { name: 'B' }, line: 2 }]);
});

test('prefers the column phone to other number columns, which become inputs', () => {
  expect(read('mobile,phone\n2,1\n')).toEqual([{ phone: '1', input: { mobile: '2' }, line: 2 }]);
});

test.each([
  ['semicolons', 'phone;name\n1000;a,b\n'],
  ['tabs', 'phone\tname\n1000\ta,b\n'],
  ['a byte order mark', '\ufeffphone,name\n1000,"a,b"\n'],
  ['lines that end as on Windows', 'phone,name\r\n1000,"a,b"\r\n'],
  ['no end of the last line', 'phone,name\n1000,"a,b"'],
  ['spaces around values', ' phone , name \n 1000 ,  "a,b"  \n'],
  ['the apostrophe of a spreadsheet', `phone,name\n'1000,"a,b"\n`],
])('accepts contacts with %s', (_, text) => {
  expect(read(text)).toEqual([{ phone: '1000', input: { name: 'a,b' }, line: 2 }]);
});

test('skips empty lines, but counts them as lines', () => {
  expect(read('\nphone,name\n\n1000,\n,\n  ,  \n\n2000,b\n')).toEqual([
    { phone: '1000', line: 4 },
    { phone: '2000', input: { name: 'b' }, line: 8 },
  ]);
});

test('values at the end of a line may be missing', () => {
  expect(read('phone,name,day\n1000\n')).toEqual([{ phone: '1000', line: 2 }]);
});

test('reads values as text unless the header gives a type', () => {
  expect(read('phone,zip,amount:number,vip:boolean,more:json\n1000,01234,12.5,TRUE,"[1,2]"\n')[0]?.input).toEqual({
    zip: '01234',
    amount: 12.5,
    vip: true,
    more: [1, 2],
  });
});

test('turns names of columns into names of inputs', () => {
  expect(read('phone,First name,post-code\n1000,Ann,1\n')[0]?.input).toEqual({ First_name: 'Ann', post_code: '1' });
});

test('passes only the requested columns as inputs', () => {
  expect(read('phone,name,what we think of them (!)\n1000,Ann,secret\n', ['name'])).toEqual([
    { phone: '1000', input: { name: 'Ann' }, line: 2 },
  ]);
});

test('accepts SIP URIs and users as numbers', () => {
  expect(read('phone\nsip:ann@phones.example\nuser:bob\n').map(({ phone }) => phone)).toEqual([
    'sip:ann@phones.example',
    'user:bob',
  ]);
});

test.each([
  ['nothing', '', 'contacts.csv is empty'],
  ['only a header', 'phone,name\n', 'contacts.csv has a header, but no rows'],
  ['no column of numbers', 'name,day\nAnn,Monday\n', 'contacts.csv, line 1: the column phone is missing'],
  ['no header', '+33612345678\n', 'contacts.csv, line 1: the column phone is missing'],
  ['twins', 'phone,a,a\n1,2,3\n', 'contacts.csv, line 1: two columns are named a'],
  ['a name that no input has', 'phone,1st\n1,2\n', 'contacts.csv, line 1: 1st cannot be the name of an input'],
  [
    'a name that is no name',
    'phone,__proto__\n1,2\n',
    'contacts.csv, line 1: __proto__ cannot be the name of an input',
  ],
  [
    'a kind that there is not',
    'phone,a:date\n1,2\n',
    'line 1: a:date: the type of a column must be text, number, boolean, json',
  ],
  ['a column too many', 'phone,a\n1,2,3\n', 'line 2: has 3 values, but the header has 2 columns'],
  ['no number', 'phone,a\n,b\n', 'line 2: has no number'],
  ['a number that is none', 'phone\n1000\nask me\n', 'line 3: ask me must be a number, a SIP URI or user:NAME'],
  ['what a spreadsheet made of it', 'phone\n3.36E+10\n', 'line 2: 3.36E+10 was rounded by a spreadsheet'],
  ['no number for a number', 'phone,n:number\n1000,"12,5"\n', 'line 2: n is 12,5, which is not a number'],
  ['neither true nor false', 'phone,n:boolean\n1000,perhaps\n', 'line 2: n is perhaps, which is not true or false'],
  ['no JSON', 'phone,n:json\n1000,{\n', 'line 2: n is {, which is not JSON'],
  ['an open quote', 'phone,a\n1000,"b\n2000,c\n', 'unclosed quote (")'],
  ['a quote inside', 'phone,a\n1000,b"c\n', 'contacts.csv, line 2: a quote (") in the middle of a value'],
  ['a quote too early', 'phone,a\n1000,"b"c\n', 'contacts.csv, line 2: a quote (") closes in the middle of a value'],
  ['a quote that swallows the file', `phone,a\n1,"b\n${'2,c\n'.repeat(50_000)}`, 'unclosed quote (")'],
])('%s is refused with its line', (_, text, message) => {
  expect(wrong(text)).toContain(message);
});

test('rejects a requested column that does not exist', () => {
  expect(wrong('phone,a\n1,2\n', ['b'])).toBe('contacts.csv, line 1: unknown column b');
});

test('counts all invalid lines, and shows twenty', () => {
  const told = wrong(`phone\n${'x\n'.repeat(25)}`).split('\n');
  expect(told[0]).toBe('contacts.csv: 25 lines cannot be used');
  expect(told[1]).toBe('  line 2: x must be a number, a SIP URI or user:NAME');
  expect(told).toHaveLength(22);
  expect(told.at(-1)).toBe('  and 5 more lines');
});

test('reads files as UTF-8', () => {
  using folder = folderOf({ 'utf8.csv': 'phone,name\n1000,Zoë\n' });
  expect(readContacts(`${folder.path}/utf8.csv`)[0]?.input).toEqual({ name: 'Zoë' });
});

test.each([
  ['another encoding', 'latin.csv', /latin\.csv is not UTF-8/],
  ['no such file', 'none.csv', /cannot read .*none\.csv: there is no such file/],
  ['a folder', '.', /it is a folder/],
])('reports the error: %s', (_, name, message) => {
  using folder = folderOf({});
  writeFileSync(`${folder.path}/latin.csv`, Buffer.from('phone,name\n1000,Zoë\n', 'latin1'));
  expect(() => readContacts(`${folder.path}/${name}`)).toThrow(message);
});

// The benchmark of this case is `npm run bench -- reading`.
test('reads 100,000 lines of a table', () => {
  let text = 'phone,name,day\n';
  for (let line = 0; line < 100_000; line += 1) text += `+336${String(line).padStart(8, '0')},"Name ${line}",Monday\n`;
  expect(read(text)).toHaveLength(100_000);
});
