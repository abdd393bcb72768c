// The files of a report of vitest's JSON reporter in which something failed, a line each. None where it says nothing of
// files, or where so many failed that a slow machine is not the reason.
import { relative } from 'node:path';
import { hasFailed, readReport } from './report.mjs';

const MOST = 8;
const failed = (readReport(process.argv[2])?.testResults ?? []).filter(hasFailed);
if (failed.length <= MOST) for (const { name } of failed) console.log(relative(process.cwd(), name));
