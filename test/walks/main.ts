/** `npm run walks`: lists the files through which a digit passes to the next prompt. */
import { walkOfDigit } from './walk.ts';

const { passed, asked } = await walkOfDigit();
for (const [index, { file, functions, isRelay }] of passed.entries()) {
  console.log(`${String(index + 1).padStart(2)} ${file}${isRelay ? ' (relay)' : ''}: ${functions.join(', ')}`);
}
const relays = passed.filter(({ isRelay }) => isRelay).length;
console.log(
  `${passed.length} files pass the digit on, ${relays} of them decide nothing; ${asked.length} more are asked:`,
);
console.log(asked.join(' '));
