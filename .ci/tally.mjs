// Reads the report of vitest's JSON reporter and says `N passed, N failed`. A file that could not be run counts as failed.
import { readFileSync } from 'node:fs';

let passed = 0;
let failed = 0;
try {
  const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
  passed = report.numPassedTests;
  failed = report.numFailedTests;
  for (const file of report.testResults) {
    if (file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')) failed += 1;
  }
  if (failed === 0 && !report.success) failed = 1;
} catch {
  failed += 1;
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
