/** Imported flows in the style of real projects, in calls: they behave as the source does. */
import { expect, it } from 'vitest';
import { callweave, folderOf } from '../cli/command.ts';
import { flows as connect } from './realistic/amazon-connect.ts';
import { flows as studio } from './realistic/twilio-studio.ts';
import { flows as twiml } from './realistic/twiml.ts';

type Files = Readonly<Record<string, string>>;

const CALLS: [name: string, files: Files, test: string][] = [
  [
    'attributes of Connect are those of the call: a module gives them back, and the next flow has them',
    connect['identification']!,
    `test: a customer who is identified
flow: Main-with-identification
env:
  lambda_check_pin: "https://f.example/pin"
  lambda_balance: "https://f.example/balance"
mocks:
  check: { status: 200, body: { ok: "true" } }
  balance: { status: 200, body: { balance: "12" } }
script:
  - hear: Please enter your account number.
  - press: "12345678"
  - hear: Please enter your pin.
  - press: "1234"
  - hear: Your balance is 12 pounds.
  - hang_up
expect:
  requests:
    - { url: "https://f.example/pin" }
    - { url: "https://f.example/balance", body: { Details: { Parameters: { account: "12345678" } } } }
`,
  ],
  [
    'a callback of Connect is asked for at once',
    connect['callback']!,
    `test: somebody who is called back at another number
flow: Callback
script:
  - hear: To be called back press 1. To wait press 2.
  - press: "1"
  - hear: To be called at this number press 1. For another number press 2.
  - press: "2"
  - hear: Please enter your number.
  - press: "15551234567#"
  - hear: We will call you back. Goodbye.
expect: { outcomes: { create: callback } }
`,
  ],
  [
    'a phone tree of TwiML by what its application answered',
    twiml['phone-tree']!,
    `test: somebody who goes back and then calls an office
flow: welcome
mocks: { bridge: { "+15551230003": { answer_after: 2s, talk: 10s } } }
script:
  - hear: Thank you for calling the Example Phone Home Service. Press 1 for directions. Press 2 to call an agent.
  - press: "7"
  - hear: Returning to the main menu.
  - press: "2"
  - hear: "To call the office in Leeds, press 2. For York, press 3. For Hull, press 4. To go back, press the star key."
  - press: "3"
expect: { dialled: ["+15551230003"], ended: completed }
`,
  ],
  [
    'the one who is called by TwiML accepts by a key',
    twiml['find-me']!,
    `test: the second one accepts
flow: find-me
mocks:
  bridge:
    "+15551112222": { answer_after: 3s, presses: "2" }
    "+15551113333": { answer_after: 5s, presses: "1", talk: 20s }
    "user:jenny": no_answer
script: [hear: Please wait while we look for somebody., hear: Thank you for calling. Goodbye.]
expect: { talked_with: ["+15551113333"] }
`,
  ],
  [
    'an order of Studio is looked up, and a wrong one counted',
    studio['order-status']!,
    `test: a wrong number, then a right one
flow: order-status
mocks:
  look_up: [{ status: 404, body: {} }, { status: 200, body: { status: open, items: [1, 2], days: 1 } }]
script:
  - hear: Please enter your order number, followed by the pound key.
  - press: "1#"
  - hear: We could not find that order.
  - press: "22#"
  - hear: Your order has 2 items. It will be sent tomorrow.
  - hear: Press 1 for another order, or 2 for an agent. Or just hang up.
  - silence
  - hear: Goodbye.
expect: { vars: { tries: 1, order: A-22 } }
`,
  ],
  [
    'a subflow of Studio gets its parameters',
    studio['billing']!,
    `test: nothing to pay
flow: billing
mocks:
  find: { status: 200, body: { pin: "4321" } }
  balance: { status: 200, body: { due: 0 } }
script:
  - hear: Please enter your eight digit account number.
  - press: "11112222"
  - hear: Please enter your pin.
  - press: "4321"
  - hear: There is nothing to pay. Goodbye.
expect:
  requests:
    - { url: "https://bank.example/find", body: { account: "11112222" } }
    - { url: "https://bank.example/balance?account=11112222" }
`,
  ],
];

it.each(CALLS)('behaves on calls as its source: %s', async (_name, files, test) => {
  using folder = folderOf({ ...files, 'call.test.yaml': test });
  const made = await callweave(['import', ...Object.keys(files)], { cwd: folder.path });
  expect(made).toMatchObject({ code: 0, err: '' });
  const tested = await callweave(['test', 'call.test.yaml'], { cwd: folder.path });
  expect(tested.out, tested.out + tested.err).toMatch(/^1 test passed, 0 failed/m);
});
