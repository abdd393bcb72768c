/** How messages and hints name the command, so that what they say works where it is read. */
import { expect, it } from 'vitest';
import { ownCommand } from '../../src/cli/own-command.ts';

it.each([
  [true, '/usr/bin/node', 'npm run callweave --'],
  [false, '/usr/bin/node', 'npx callweave'],
  [false, '/home/ann/.npm/_npx/0a1b/node_modules/node/bin/node', 'npx -p node@24 -- callweave'],
  [false, 'C:\\Users\\ann\\npm-cache\\_npx\\0a1b\\node_modules\\node\\bin\\node.exe', 'npx -p node@24 -- callweave'],
])('is, in a clone: %s, with the Node %s: %s', (isClone, node, command) => {
  expect(ownCommand(isClone, node)).toBe(command);
});
