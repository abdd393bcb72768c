import { expect, it } from 'vitest';
import { CLINIC, findings, seeded } from './seeded.ts';

const configured = { users: ['anna', 'ben'], numbers: ['+33199001122'], prefixes: ['+33'], secrets: ['crm'] };
const TO = 'to: "${ vars.doctors[$$.vars.pick].phone }"';
const READ = '        pick: "${ vars.pick }"\n';
const NOTE = '        note: "${ vars.note }"\n';
/** Replaces the doctor; the note that was read stays read. */
const ringing = (party: string): string[] => [TO, party, NOTE, NOTE + READ];
const TIMEOUT = '      timeout: 3s\n';

it('finds nothing in a flow that names what is there', () => {
  const text = CLINIC.replace(TO, 'to: [["user:anna", "user:ben"], "+33144550000"], from: "+33199001122"').replace(
    NOTE,
    NOTE + READ,
  );
  expect(findings(text, { configured })).toEqual([]);
});

seeded(
  'unknown-user?',
  [
    ringing('to: «"user:ana"'),
    ringing('to: [«"user:carla"]'),
    ringing('to: [["user:anna", «"user:bob"], "+33144550000"]'),
    ringing('to: [["user:anna"], [«"user:Ben"]]'),
    ringing('to: «user:reception'),
  ],
  { configured },
);
seeded(
  'no-route?',
  [
    ringing('to: «"+44207946000"'),
    ringing('to: ["user:anna", «"+15550100000"]'),
    ringing('to: [["user:anna", «"+4930123456"]]'),
    ringing('to: «"+34911234567"'),
    ringing('to: [«"+3222222222", "+33144550000"]'),
  ],
  { configured },
);
seeded(
  'unknown-number?',
  [
    ringing('to: "user:anna", from: «"+33199001123"'),
    ringing('to: "user:anna", from: «"1000"'),
    ringing('from: «"+33144550000", to: "user:anna"'),
    ringing('to: "user:anna", from: «"anonymous"'),
    ringing('to: "user:ben", from: «"0199001122"'),
  ],
  { configured },
);
seeded(
  'unknown-secret?',
  [
    [TIMEOUT, `${TIMEOUT}      auth: { bearer: "\${ «secrets.crn }" }\n`],
    [TIMEOUT, `${TIMEOUT}      auth: { basic: { username: me, password: "\${ «secrets.password }" } }\n`],
    [TIMEOUT, `${TIMEOUT}      headers: { x-key: "\${ «secrets.CRM }" }\n`],
    [TIMEOUT, `${TIMEOUT}      headers: { x-key: "Token \${ «secrets.token }" }\n`],
    [TIMEOUT, `${TIMEOUT}      auth: { bearer: "\${ $uppercase(«secrets.key) }" }\n`],
  ],
  { configured },
);

it('takes no secret for one that a text only speaks of', () => {
  const said = 'body: { note: "a text with secrets.nothing in it, ${ vars.note }" }';
  const text = CLINIC.replace(TIMEOUT, `${TIMEOUT}      ${said}\n`).replace('      get:', '      post:');
  expect(findings(text, { configured })).toEqual([]);
});

seeded(
  'unread-header?',
  [
    [NOTE, `${NOTE}        plan: "\${ «call.headers.plan }"\n`],
    [NOTE, `${NOTE}        plan: "\${ «call.headers.\`remote-party-id\` }"\n`],
    [NOTE, `${NOTE}        plan: "\${ $uppercase(«call.headers.priority) }"\n`],
    [NOTE, `${NOTE}        plan: "\${ «call.headers.privacy = 'id' }"\n`],
    [NOTE, `${NOTE}        plan: "\${ $exists(«call.headers.route) ? 1 : 0 }"\n`],
  ],
  { configured, headers: ['p-asserted-service'] },
);

const GREET = '  greet: { play: welcome, next: opening }';
/** The greeting, and a message with these keys after it. */
const telling = (args: string): [string, string] => [
  GREET,
  `  greet: { play: welcome, next: tell }\n  tell: { message: ${args}, exits: { sent: opening, refused: opening } }`,
];
const providers = { configured: { ...configured, messages: ['sms', 'chat'] } };
seeded(
  'unknown-provider?',
  [
    telling('{ to: "1", text: hello, meanwhile: one_moment, provider: «SMS }'),
    telling('{ to: "1", text: hello, meanwhile: one_moment, provider: «smss }'),
    telling('{ provider: «mail, to: "1", text: hello, meanwhile: one_moment }'),
    telling('{ to: "1", provider: «"sms ", text: hello, meanwhile: one_moment }'),
    telling('{ to: "1", text: hello, provider: «chats, meanwhile: one_moment }'),
  ],
  providers,
);
