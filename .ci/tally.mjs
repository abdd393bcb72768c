// Reads reports of vitest's JSON reporter and says `N passed, N failed`, after a line that names what needed a second try:
// `NAME.again.json` beside a report has the files that were run again. A file that could not be run counts as failed.
import { relative } from 'node:path';
import { hasFailed, readReport } from './report.mjs';

let passed = 0;
let failed = 0;
const triedAgain = [];
for (const file of process.argv.slice(2)) {
  const report = readReport(file);
  if (report === undefined || report.testResults.length === 0) {
    failed += 1;
    continue;
  }
  const again = readReport(file.replace(/\.json$/, '.again.json'))?.testResults ?? [];
  const found = report.testResults.map((first) => again.find(({ name }) => name === first.name) ?? first);
  passed += countOf(found, 'passed');
  failed += failedIn(found);
  // Something outside of all files, such as what was left behind at the end.
  if (!report.success && !report.testResults.some(hasFailed)) failed += 1;
  triedAgain.push(...report.testResults.filter((first) => hasFailed(first) && !found.includes(first)).flatMap(namesOf));
}
if (triedAgain.length > 0) console.log(`${triedAgain.length} needed a second try: ${triedAgain.join('; ')}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function countOf(files, status) {
  return files.reduce(
    (sum, { assertionResults }) => sum + assertionResults.filter((test) => test.status === status).length,
    0,
  );
}

function failedIn(files) {
  const notRun = files.filter((file) => hasFailed(file) && countOf([file], 'failed') === 0).length;
  return countOf(files, 'failed') + notRun;
}

function namesOf({ name, assertionResults }) {
  const file = relative(process.cwd(), name);
  const names = assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName }) => `${file} > ${fullName}`);
  return names.length > 0 ? names : [file];
}
