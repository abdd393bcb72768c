/** Made of src/verbs by `npm run types`. */
import type { StepDefinition } from '../language/steps/step.ts';
import { step as answerStep } from './answer/step.ts';
import { step as assistantStep } from './assistant/step.ts';
import { step as branchStep } from './branch/step.ts';
import { step as bridgeStep } from './bridge/step.ts';
import { step as callStep } from './call/step.ts';
import { step as cancelCallStep } from './cancel_call/step.ts';
import { step as checkQueueStep } from './check_queue/step.ts';
import { step as collectStep } from './collect/step.ts';
import { step as conferenceStep } from './conference/step.ts';
import { step as continueStep } from './continue/step.ts';
import { step as detectMachineStep } from './detect_machine/step.ts';
import { step as doNotCallStep } from './do_not_call/step.ts';
import { step as forEachStep } from './for_each/step.ts';
import { step as hangupStep } from './hangup/step.ts';
import { step as holdStep } from './hold/step.ts';
import { step as joinRoomStep } from './join_room/step.ts';
import { step as logStep } from './log/step.ts';
import { step as menuStep } from './menu/step.ts';
import { step as messageStep } from './message/step.ts';
import { step as notifyStep } from './notify/step.ts';
import { step as parallelStep } from './parallel/step.ts';
import { step as pauseStep } from './pause/step.ts';
import { step as payStep } from './pay/step.ts';
import { step as playStep } from './play/step.ts';
import { step as queueStep } from './queue/step.ts';
import { step as recordStep } from './record/step.ts';
import { step as recordingStep } from './recording/step.ts';
import { step as rejectStep } from './reject/step.ts';
import { step as repeatStep } from './repeat/step.ts';
import { step as requestStep } from './request/step.ts';
import { step as resumeStep } from './resume/step.ts';
import { step as returnStep } from './return/step.ts';
import { step as scheduleStep } from './schedule/step.ts';
import { step as sendDigitsStep } from './send_digits/step.ts';
import { step as serveStep } from './serve/step.ts';
import { step as setStep } from './set/step.ts';
import { step as splitStep } from './split/step.ts';
import { step as streamStep } from './stream/step.ts';
import { step as subflowStep } from './subflow/step.ts';
import { step as todoStep } from './todo/step.ts';
import { step as transcribeStep } from './transcribe/step.ts';
import { step as transferStep } from './transfer/step.ts';
import { step as waitForStep } from './wait_for/step.ts';
import { step as webhookStep } from './webhook/step.ts';

/** All verbs of the flow language. */
export const verbs: readonly StepDefinition[] = [
  answerStep,
  assistantStep,
  branchStep,
  bridgeStep,
  callStep,
  cancelCallStep,
  checkQueueStep,
  collectStep,
  conferenceStep,
  continueStep,
  detectMachineStep,
  doNotCallStep,
  forEachStep,
  hangupStep,
  holdStep,
  joinRoomStep,
  logStep,
  menuStep,
  messageStep,
  notifyStep,
  parallelStep,
  pauseStep,
  payStep,
  playStep,
  queueStep,
  recordStep,
  recordingStep,
  rejectStep,
  repeatStep,
  requestStep,
  resumeStep,
  returnStep,
  scheduleStep,
  sendDigitsStep,
  serveStep,
  setStep,
  splitStep,
  streamStep,
  subflowStep,
  todoStep,
  transcribeStep,
  transferStep,
  waitForStep,
  webhookStep,
];

export const stepsByVerb: ReadonlyMap<string, StepDefinition> = new Map(verbs.map((step) => [step.verb, step]));
