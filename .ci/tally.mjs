// Reads reports of vitest's JSON reporter and says `N passed, N failed`. A file that could not be run counts as failed.
import { readFileSync } from 'node:fs';

let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2)) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    passed += report.numPassedTests;
    failed += failedOf(report);
  } catch {
    failed += 1;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function failedOf({ numFailedTests, testResults, success }) {
  const notRun = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const found = numFailedTests + notRun;
  return found === 0 && !success ? 1 : found;
}
