/** Table of all verbs of the flow language. */
import { answer } from './answer.ts';
import { assistant } from './assistant.ts';
import { branch } from './branch.ts';
import { bridge } from './bridge.ts';
import { checkQueue } from './check-queue.ts';
import { collect } from './collect.ts';
import { conference } from './conference.ts';
import { continueStep } from './continue.ts';
import { detectMachine } from './detect-machine.ts';
import { doNotCall } from './do-not-call.ts';
import { forEach } from './for-each.ts';
import { hangup } from './hangup.ts';
import { hold } from './hold.ts';
import { joinRoom } from './join-room.ts';
import { log } from './log.ts';
import { menu } from './menu.ts';
import { message } from './message.ts';
import { notify } from './notify.ts';
import { parallel } from './parallel.ts';
import { pause } from './pause.ts';
import { pay } from './pay.ts';
import { play } from './play.ts';
import { queue } from './queue.ts';
import { record } from './record.ts';
import { recording } from './recording.ts';
import { reject } from './reject.ts';
import { repeat } from './repeat.ts';
import { request } from './request.ts';
import { resume } from './resume.ts';
import { returnStep } from './return.ts';
import { schedule } from './schedule.ts';
import { sendDigits } from './send-digits.ts';
import { serve } from './serve.ts';
import { set } from './set.ts';
import { split } from './split.ts';
import type { StepDefinition } from './step.ts';
import { stream } from './stream.ts';
import { subflow } from './subflow.ts';
import { todo } from './todo.ts';
import { transcribe } from './transcribe.ts';
import { transfer } from './transfer.ts';
import { waitFor } from './wait-for.ts';
import { webhook } from './webhook.ts';

export const verbs: readonly StepDefinition[] = [
  answer,
  assistant,
  branch,
  bridge,
  checkQueue,
  collect,
  conference,
  continueStep,
  detectMachine,
  doNotCall,
  forEach,
  hangup,
  hold,
  joinRoom,
  log,
  menu,
  message,
  notify,
  parallel,
  pause,
  pay,
  play,
  queue,
  record,
  recording,
  reject,
  repeat,
  request,
  resume,
  returnStep,
  schedule,
  sendDigits,
  serve,
  set,
  split,
  stream,
  subflow,
  todo,
  transcribe,
  transfer,
  waitFor,
  webhook,
];

export const stepsByVerb: ReadonlyMap<string, StepDefinition> = new Map(verbs.map((step) => [step.verb, step]));
