/** Use cases of the admin API that need more than a write to the store. */
import { checkArguments } from '../../../base/schema/validate.ts';
import { CallError } from '../call-error.ts';
import type { CallParts } from '../call-parts.ts';
import { checkInput, resolveFlow } from '../flow-files/flow-input.ts';
import type { ProvisionedNumber } from '../numbers/numbers.ts';
import type { Projects } from '../projects/projects.ts';
import type { PromptAudio } from '../prompts/play-order.ts';
import { audioOf, spokenPrompt } from '../prompts/prompts.ts';
import type { PromptFiles } from './prompt-files.ts';
import { numberKey, type PromptVariety, promptKey, type Settings, type SipUser, userKey } from './settings.ts';

export interface ProvisionParts {
  settings: Settings;
  projects: Projects;
  promptFiles: PromptFiles;
  promptAudio: PromptAudio;
  flows: CallParts['flows'];
  callStore: Pick<CallParts['callStore'], 'unfinished'>;
  /** Projects that own entries of the configuration file. */
  ownersInFile(): readonly string[];
}

/** Throws if the flow does not exist, or does not accept the input. */
export async function provisionNumber(
  number: ProvisionedNumber,
  { settings, projects, flows }: ProvisionParts,
): Promise<void> {
  const { flow, input, greeting, outboundGreeting } = number;
  settings.numbers.mayChange(numberKey(number.number));
  if (settings.numberDirectory.shared(number.number).length > 0) {
    throw new CallError('configured', 'this number is shared by several, in the configuration file');
  }
  requireProject(number.projectId, projects);
  if (flow !== undefined) checkInput(resolveFlow(flow, { flows }), input ?? {});
  for (const [name, prompt] of Object.entries({ greeting, outbound_greeting: outboundGreeting })) {
    if (prompt === undefined || typeof prompt === 'string') continue;
    const wrong = checkArguments({ verb: 'play' }, { prompt });
    if (wrong !== undefined) throw new CallError('input_invalid', `${name}: ${wrong}`);
  }
  await settings.numbers.put(numberKey(number.number), number);
}

export async function provisionUser(user: SipUser, { settings, projects }: ProvisionParts): Promise<void> {
  if (user.projectId !== undefined) requireProject(user.projectId, projects);
  await settings.users.put(userKey(user.name), user);
}

function requireProject(projectId: string, projects: Projects): void {
  if (!projects.find(projectId)) throw new CallError('unknown_setting', `there is no project ${projectId}`);
}

export type PromptOrder = { bytes: Uint8Array } | { text: string; voice?: 'female' | 'male' };

export async function provisionPrompt(
  { name, variety }: { name: string; variety: string },
  order: PromptOrder,
  { settings, promptFiles, promptAudio }: ProvisionParts,
): Promise<PromptVariety> {
  mayChangePrompt(name, settings);
  const language = variety === 'default' ? {} : { language: variety };
  const made: PromptVariety =
    'bytes' in order
      ? { name, variety, ...(await promptFiles.keep(order.bytes)) }
      : { name, variety, ...order, ...language };
  if (made.text !== undefined) {
    const fault = promptAudio.refusal(audioOf(spokenPrompt(made.text, made.voice, made.language)));
    if (fault) {
      throw new CallError(fault.code === 'text_too_long' ? 'text_too_long' : 'voice_not_supported', fault.message);
    }
  }
  await settings.prompts.put(promptKey(name, variety), made);
  return made;
}

/** The file defines this name in every language. */
function mayChangePrompt(name: string, settings: Settings): void {
  const fixed = settings.prompts.list().find(({ isConfigured, value }) => isConfigured && value.name === name);
  if (fixed) settings.prompts.mayChange(fixed.key);
}

/** Removes a project that owns nothing but ended calls. */
export async function removeProject(
  projectId: string,
  { settings, projects, callStore, ownersInFile }: ProvisionParts,
): Promise<void> {
  const refuse = (message: string): never => {
    throw new CallError('in_use', message);
  };
  if (!projects.isConfigured(projectId) && projects.find(projectId)) {
    if (ownersInFile().includes(projectId)) refuse('numbers, rooms or users of the configuration file belong to it');
    const numbers = settings.numbers.values().filter((number) => number.projectId === projectId);
    if (numbers.length > 0) refuse(`${numbers.length} of the numbers belong to it`);
    const users = settings.users.values().filter((user) => user.projectId === projectId);
    if (users.length > 0) refuse(`${users.length} of the users belong to it`);
    const live = await callStore.unfinished();
    if (live.some((record) => record.projectId === projectId)) refuse('it has calls that have not ended');
  }
  await projects.remove(projectId);
}
