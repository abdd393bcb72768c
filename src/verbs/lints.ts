/** Made of src/verbs by `npm run types`. */
import type { VerbLint } from '../language/flow/verb-lint.ts';
import { lint as assistantLint } from './assistant/lint.ts';
import { lint as branchLint } from './branch/lint.ts';
import { lint as bridgeLint } from './bridge/lint.ts';
import { lint as collectLint } from './collect/lint.ts';
import { lint as continueLint } from './continue/lint.ts';
import { lint as forEachLint } from './for_each/lint.ts';
import { lint as menuLint } from './menu/lint.ts';
import { lint as messageLint } from './message/lint.ts';
import { lint as parallelLint } from './parallel/lint.ts';
import { lint as payLint } from './pay/lint.ts';
import { lint as playLint } from './play/lint.ts';
import { lint as queueLint } from './queue/lint.ts';
import { lint as recordLint } from './record/lint.ts';
import { lint as requestLint } from './request/lint.ts';
import { lint as scheduleLint } from './schedule/lint.ts';
import { lint as serveLint } from './serve/lint.ts';
import { lint as subflowLint } from './subflow/lint.ts';
import { lint as todoLint } from './todo/lint.ts';
import { lint as webhookLint } from './webhook/lint.ts';

/** Checks by verb. */
export const lints: ReadonlyMap<string, VerbLint> = new Map([
  ['assistant', assistantLint],
  ['branch', branchLint],
  ['bridge', bridgeLint],
  ['collect', collectLint],
  ['continue', continueLint],
  ['for_each', forEachLint],
  ['menu', menuLint],
  ['message', messageLint],
  ['parallel', parallelLint],
  ['pay', payLint],
  ['play', playLint],
  ['queue', queueLint],
  ['record', recordLint],
  ['request', requestLint],
  ['schedule', scheduleLint],
  ['serve', serveLint],
  ['subflow', subflowLint],
  ['todo', todoLint],
  ['webhook', webhookLint],
]);
