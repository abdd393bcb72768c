// Reads reports of vitest's JSON reporter and says `N passed, N failed`, after a line that names what needed a second try.
// A file that could not be run counts as failed.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

let passed = 0;
let failed = 0;
const triedAgain = [];
for (const file of process.argv.slice(2)) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    passed += report.numPassedTests;
    failed += failedOf(report);
    triedAgain.push(...triedAgainOf(report));
  } catch {
    failed += 1;
  }
}
if (triedAgain.length > 0) console.log(`${triedAgain.length} passed at a second try: ${triedAgain.join('; ')}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function failedOf({ numFailedTests, testResults, success }) {
  const notRun = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const found = numFailedTests + notRun;
  return found === 0 && !success ? 1 : found;
}

/** A test that passed in the end keeps what was wrong at first. */
function triedAgainOf({ testResults }) {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
      .map(({ fullName }) => `${relative(process.cwd(), name)} > ${fullName}`),
  );
}
